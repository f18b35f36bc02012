/**
 * Management datagrams of InfiniBand: the two that the switch port behind an adapter is asked with.
 *
 * Truth: InfiniBand Architecture Specification vol. 1, 13.4 "Management datagrams", 14.2.1.2
 * "Directed route SMP", 14.2.5.6 PortInfo, 16.1.3 PortCountersExtended; the Linux kernel's structures
 * have the same layout (rdma/ib_mad.h, ib_smi.h, ib_pma.h). All numbers are in network order:
 *
 *      0 base version   1 class   2 class version   3 method   4 status (2)   8 transaction (8)
 *     16 attribute (2)  20 modifier (4)
 *     directed route:   6 hop pointer  7 hop count  32 source LID (2)  34 destination LID (2)
 *                      64 data (64)  128 initial path (64)  192 return path (64)
 *     performance:     64 data (192)
 * @module
 */

/** Every datagram. */
const MAD_BYTES = 256;
const DATA = 64, INITIAL_PATH = 128;
const GET = 0x01, GET_RESPONSE = 0x81;
/** The direction of a directed route: set in answers. */
const DIRECTION = 0x8000;
const PERMISSIVE_LID = 0xffff;

/** Subnet management by directed route; performance management. */
export const DIRECTED_CLASS = 0x81, PERFORMANCE_CLASS = 0x04;
const PORT_INFO = 0x0015, PORT_COUNTERS_EXTENDED = 0x001d;

function request(mgmtClass: number, attribute: number, transaction: number): DataView<ArrayBuffer> {
  const mad = new DataView(new ArrayBuffer(MAD_BYTES));
  mad.setUint8(0, 1);
  mad.setUint8(1, mgmtClass);
  mad.setUint8(2, 1);
  mad.setUint8(3, GET);
  // the upper half is the kernel's
  mad.setUint32(12, transaction);
  mad.setUint16(16, attribute);
  return mad;
}

/** Requests, from the device one hop away by a port of the adapter, the port that this arrives at. */
export function askNeighbour(port: number, transaction: number): Uint8Array<ArrayBuffer> {
  const mad = request(DIRECTED_CLASS, PORT_INFO, transaction);
  mad.setUint8(7, 1);
  mad.setUint16(32, PERMISSIVE_LID);
  mad.setUint16(34, PERMISSIVE_LID);
  mad.setUint8(INITIAL_PATH + 1, port);
  return new Uint8Array(mad.buffer);
}

/** Requests the 64-bit counters of a port. */
export function askCounters(port: number, transaction: number): Uint8Array<ArrayBuffer> {
  const mad = request(PERFORMANCE_CLASS, PORT_COUNTERS_EXTENDED, transaction);
  mad.setUint8(DATA + 1, port);
  return new Uint8Array(mad.buffer);
}

/** An answer's data, if it is one to such a request and all went well. */
function answered(bytes: Uint8Array, asked: Uint8Array): DataView | undefined {
  if (bytes.length < MAD_BYTES) return undefined;
  const mad = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const question = new DataView(asked.buffer, asked.byteOffset, asked.length);
  const fits = mad.getUint8(1) === question.getUint8(1) && mad.getUint8(3) === GET_RESPONSE &&
    mad.getUint32(12) === question.getUint32(12) && mad.getUint16(16) === question.getUint16(16) &&
    (mad.getUint16(4) & ~DIRECTION) === 0;
  return fits ? new DataView(bytes.buffer, bytes.byteOffset + DATA, MAD_BYTES - DATA) : undefined;
}

/**
 * Address of the neighbour: the LID of the switch, and the number of its port towards this node.
 */
export interface Neighbour {
  readonly lid: number;
  readonly port: number;
}

/** Neighbour in the answer to {@link askNeighbour}. */
export function readNeighbour(bytes: Uint8Array, asked: Uint8Array): Neighbour | undefined {
  const info = answered(bytes, asked);
  return info && { lid: info.getUint16(16), port: info.getUint8(28) };
}

/** Counters of a port, as seen from it; data in words of four bytes. */
export interface PortCounters {
  readonly xmitData: bigint;
  readonly rcvData: bigint;
  readonly xmitPackets: bigint;
  readonly rcvPackets: bigint;
}

/** Counters in the answer to {@link askCounters}. */
export function readCounters(bytes: Uint8Array, asked: Uint8Array): PortCounters | undefined {
  const data = answered(bytes, asked);
  return data && {
    xmitData: data.getBigUint64(8),
    rcvData: data.getBigUint64(16),
    xmitPackets: data.getBigUint64(24),
    rcvPackets: data.getBigUint64(32),
  };
}
