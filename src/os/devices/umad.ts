/**
 * Management datagrams by the kernel's user MAD device, one question and its answer at a time.
 *
 * Truth: include/uapi/rdma/ib_user_mad.h, drivers/infiniband/core/user_mad.c. A class is registered
 * by ioctl; then every write is a header and a datagram, every read the same: the answer, or the
 * question with a status if none came. Header, once indices of partition keys are enabled:
 *
 *      0 u32 agent  4 u32 status  8 u32 milliseconds  12 u32 retries  16 u32 length
 *     20 be32 queue pair  24 be32 queue key  28 be16 LID  30 u8 level  31 u8 path  32 u8 has GRH
 *     33 u8 GID  34 u8 hops  35 u8 class  36 GID (16)  52 be32 flow  56 u16 key index  58 (6)
 *
 * Built to this interface and tried with answers made up by tests; never met by an adapter.
 * @module
 */
import { openCounter } from "../confinement/caller_rights.ts";
import { closeFile, O, openFile } from "../files.ts";
import { bindIoctl } from "./ioctl.ts";
import { libc } from "../libc.ts";
import { pollEntry } from "../poll.ts";

/** _IO(0x1b, 3); _IOWR(0x1b, 1, struct ib_user_mad_reg_req). */
const ENABLE_PKEY = 0x1b03n, REGISTER_AGENT = 0xc01c1b01n;
const REGISTRATION_BYTES = 28;
const HEADER_BYTES = 64;
const MAD_BYTES = 256;
/** Time limit and number of repetitions, as in the original: 15 ms, and three times more. */
const TIMEOUT_MS = 15, RETRIES = 3;
/** Longer than all of that: the kernel has answered by then. */
const PATIENCE_MS = 200;
/** The well-known queue key of general services, on queue pair 1. */
const GENERAL_KEY = 0x80010000;

/** Whom a datagram goes to. */
export interface MadTarget {
  readonly mgmtClass: number;
  readonly lid: number;
  /** 0 for subnet management, 1 for general services. */
  readonly queuePair: 0 | 1;
}

/** Sends a request, and returns the datagram that answered it; `undefined` if none came. */
export interface MadDoor {
  ask(target: MadTarget, mad: Uint8Array): Uint8Array | undefined;
  [Symbol.dispose](): void;
}

/** Packet to write: the header, then the datagram. */
export function umadPacket(agent: number, target: MadTarget, mad: Uint8Array) {
  const packet = new Uint8Array(HEADER_BYTES + MAD_BYTES);
  const header = new DataView(packet.buffer);
  const isHostLittle = true; // x86-64 and aarch64
  header.setUint32(0, agent, isHostLittle);
  header.setUint32(8, TIMEOUT_MS, isHostLittle);
  header.setUint32(12, RETRIES, isHostLittle);
  header.setUint32(16, HEADER_BYTES + MAD_BYTES, isHostLittle);
  header.setUint32(20, target.queuePair);
  header.setUint32(24, target.queuePair === 1 ? GENERAL_KEY : 0);
  header.setUint16(28, target.lid);
  packet.set(mad.subarray(0, MAD_BYTES), HEADER_BYTES);
  return packet;
}

/** The datagram of what was read; `undefined` if its status means that none came. */
export function umadAnswer(packet: Uint8Array): Uint8Array | undefined {
  if (packet.length < HEADER_BYTES + MAD_BYTES) return undefined;
  const status = new DataView(packet.buffer, packet.byteOffset).getUint32(4, true);
  return status === 0 ? packet.subarray(HEADER_BYTES, HEADER_BYTES + MAD_BYTES) : undefined;
}

/** The registration of a class for answers only. */
export function umadRegistration(mgmtClass: number, queuePair: 0 | 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(REGISTRATION_BYTES);
  bytes[20] = queuePair;
  bytes[21] = mgmtClass;
  bytes[22] = 1;
  return bytes;
}

/** An open device. */
class DeviceDoor implements MadDoor {
  readonly #fd: number;
  /** By class: the agent's number. */
  readonly #agents = new Map<number, number>();
  readonly #read = new Uint8Array(HEADER_BYTES + MAD_BYTES);
  readonly #poll: Uint8Array<ArrayBuffer>;

  constructor(fd: number) {
    this.#fd = fd;
    this.#poll = pollEntry(fd);
  }

  ask(target: MadTarget, mad: Uint8Array): Uint8Array | undefined {
    const agent = this.#agentOf(target);
    if (agent < 0) return undefined;
    const c = libc();
    // an answer that came after its timeout belongs to no request
    while (c.poll(this.#poll, 1n, 0) === 1) if (this.#next() === undefined) break;
    const packet = umadPacket(agent, target, mad);
    if (Number(c.write(this.#fd, packet, BigInt(packet.length))) !== packet.length) {
      return undefined;
    }
    if (c.poll(this.#poll, 1n, PATIENCE_MS) !== 1) return undefined;
    const answer = this.#next();
    return answer && umadAnswer(answer);
  }

  #next(): Uint8Array | undefined {
    const n = Number(libc().read(this.#fd, this.#read, BigInt(this.#read.length)));
    return n > 0 ? this.#read.subarray(0, n) : undefined;
  }

  #agentOf({ mgmtClass, queuePair }: MadTarget): number {
    return this.#agents.getOrInsertComputed(mgmtClass, () => {
      const request = umadRegistration(mgmtClass, queuePair);
      const failed = (bindIoctl()?.(this.#fd, REGISTER_AGENT, request) ?? -1) < 0;
      return failed ? -1 : new DataView(request.buffer).getUint32(0, true);
    });
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}

/** Opens a device, `umad0`; `undefined` if it is not there or not ours. */
export function openUmad(name: string): MadDoor | undefined {
  const call = bindIoctl();
  if (call === undefined) return undefined;
  const path = `/dev/infiniband/${name}`;
  const fd = openCounter(path, () => openFile(path, O.RDWR | O.NONBLOCK));
  if (fd < 0) return undefined;
  if (call(fd, ENABLE_PKEY, new Uint8Array(8)) < 0) {
    closeFile(fd);
    return undefined;
  }
  return new DeviceDoor(fd);
}
