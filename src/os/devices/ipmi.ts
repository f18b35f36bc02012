/**
 * Requests to the node's BMC by the kernel's IPMI device, sent and fetched without waiting.
 *
 * Truth: include/uapi/linux/ipmi.h, drivers/char/ipmi/ipmi_devintf.c. Both structures hold a long and
 * pointers, so they look like this on x86-64 and on aarch64:
 *
 *   struct ipmi_req   0 *addr   8 u32 addr_len  16 long msgid  24 u8 netfn, 25 u8 cmd,
 *                     26 u16 data_len  32 *data                                          40 bytes
 *   struct ipmi_recv  0 int recv_type  8 *addr  16 u32 addr_len  24 long msgid
 *                     32 u8 netfn, 33 u8 cmd, 34 u16 data_len  40 *data                  48 bytes
 *   struct ipmi_system_interface_addr  0 int addr_type  4 short channel  6 u8 lun         8 bytes
 *
 * The pointers' targets are in one page of memory of our own. The device fetches nothing for
 * itself: an answer waits in the kernel until it is fetched, so poll(2) shows at no cost whether one
 * exists.
 * @module
 */
import type { Absence } from "../../core/signal.ts";
import { openCounter } from "../confinement/caller_rights.ts";
import { closeFile, O, openFile } from "../files.ts";
import { lack, modeAndOwner } from "../host.ts";
import { bindIoctl, type DeviceCall } from "./ioctl.ts";
import { ERRNO, errno, libc } from "../libc.ts";
import { pollEntry } from "../poll.ts";

/**
 * Paths of the device, by the naming rules of each generation; the first one that exists counts.
 */
export const IPMI_DEVICES: readonly string[] = ["/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"];

/** _IOR('i', 13, struct ipmi_req), _IOWR('i', 11, struct ipmi_recv). */
const IPMICTL_SEND_COMMAND = 0x8028690dn;
const IPMICTL_RECEIVE_MSG_TRUNC = 0xc030690bn;
const REQUEST_BYTES = 40;
const RECEIVE_BYTES = 48;
const SYSTEM_INTERFACE = 0x0c;
const BMC_CHANNEL = 0xf;
const ADDRESS_BYTES = 8;
/** IPMI_MAX_ADDR_SIZE and the type and channel before it. */
const MAX_ADDRESS_BYTES = 40;
/** IPMI_MAX_MSG_LENGTH: nothing longer comes. */
const MAX_DATA_BYTES = 272;

/** Places in the page. */
const TO = 0, DATA_OUT = 64, FROM = 384, DATA_IN = 512, PAGE_BYTES = 4096;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;
const ENXIO = 6;

/** A command to the BMC. */
export interface BmcRequest {
  /** Network function and command. */
  readonly netfn: number;
  readonly command: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** The message that was fetched last. */
export interface BmcMessage {
  /** 1: a response to a request. */
  type: number;
  /** Number that the request was sent with. */
  id: number;
  netfn: number;
  command: number;
  /** Bytes of `BmcDoor.bytes` that belong to it, from the completion code on. */
  length: number;
}

/** An open device, for one request that is sent again and again. */
export interface BmcDoor {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly message: Readonly<BmcMessage>;
  /** Sends the request; 0, or −errno. Does not wait for the answer. */
  send(id: number): number;
  /** Fetches what has come; 1: a message, 0: nothing yet, else −errno. Never waits. */
  fetch(): number;
  /** Sleeps until a message may have come, so many milliseconds at most. */
  wait(ms: number): void;
  [Symbol.dispose](): void;
}

/** The kernel's IPMI device. */
export class DeviceDoor implements BmcDoor {
  readonly bytes = new Uint8Array(MAX_DATA_BYTES);
  readonly message: BmcMessage = { type: 0, id: 0, netfn: 0, command: 0, length: 0 };
  readonly #fd: number;
  readonly #call: DeviceCall;
  readonly #page: bigint;
  readonly #request = new DataView(new ArrayBuffer(REQUEST_BYTES));
  readonly #received = new DataView(new ArrayBuffer(RECEIVE_BYTES));
  readonly #requestBytes = new Uint8Array(this.#request.buffer);
  readonly #receivedBytes = new Uint8Array(this.#received.buffer);
  readonly #poll: Uint8Array<ArrayBuffer>;

  constructor(fd: number, readonly path: string, request: BmcRequest, call: DeviceCall) {
    this.#fd = fd;
    this.#call = call;
    const c = libc();
    this.#page = c.mmap(0n, BigInt(PAGE_BYTES), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
    const address = new DataView(new ArrayBuffer(ADDRESS_BYTES));
    address.setInt32(0, SYSTEM_INTERFACE, true);
    address.setInt16(4, BMC_CHANNEL, true);
    c.poke(this.#page + BigInt(TO), new Uint8Array(address.buffer), BigInt(ADDRESS_BYTES));
    const { data } = request;
    c.poke(this.#page + BigInt(DATA_OUT), data, BigInt(data.length));
    const r = this.#request;
    r.setBigUint64(0, this.#page + BigInt(TO), true);
    r.setUint32(8, ADDRESS_BYTES, true);
    r.setUint8(24, request.netfn);
    r.setUint8(25, request.command);
    r.setUint16(26, data.length, true);
    r.setBigUint64(32, this.#page + BigInt(DATA_OUT), true);
    this.#received.setBigUint64(8, this.#page + BigInt(FROM), true);
    this.#received.setBigUint64(40, this.#page + BigInt(DATA_IN), true);
    this.#poll = pollEntry(fd);
  }

  send(id: number): number {
    this.#request.setUint32(16, id, true);
    if (this.#call(this.#fd, IPMICTL_SEND_COMMAND, this.#requestBytes) >= 0) return 0;
    return -(errno() || ERRNO.EIO);
  }

  fetch(): number {
    if (!this.#ready(0)) return 0;
    const r = this.#received;
    // The kernel leaves the lengths of the last message here.
    r.setUint32(16, MAX_ADDRESS_BYTES, true);
    r.setUint16(34, MAX_DATA_BYTES, true);
    if (this.#call(this.#fd, IPMICTL_RECEIVE_MSG_TRUNC, this.#receivedBytes) < 0) {
      const number = errno() || ERRNO.EIO;
      return number === ERRNO.EAGAIN ? 0 : -number;
    }
    const m = this.message;
    m.type = r.getInt32(0, true);
    m.id = r.getUint32(24, true);
    m.netfn = r.getUint8(32);
    m.command = r.getUint8(33);
    m.length = Math.min(r.getUint16(34, true), MAX_DATA_BYTES);
    libc().peek(this.bytes, this.#page + BigInt(DATA_IN), BigInt(MAX_DATA_BYTES));
    return 1;
  }

  wait(ms: number): void {
    this.#ready(ms);
  }

  [Symbol.dispose](): void {
    libc().munmap(this.#page, BigInt(PAGE_BYTES));
    closeFile(this.#fd);
  }

  /**
   * True if there is something to read, and also if poll(2) fails or the device is gone: fetching
   * gives the reason.
   */
  #ready(ms: number): boolean {
    return libc().poll(this.#poll, 1n, ms) !== 0;
  }
}

/** Result of opening. */
export type OpenedDoor =
  | { readonly ok: true; readonly door: BmcDoor }
  | ({ readonly ok: false } & Absence);

/** Opens the first existing device. */
export function openBmc(request: BmcRequest): OpenedDoor {
  for (const path of IPMI_DEVICES) {
    const fd = openCounter(path, () => openFile(path, O.RDWR | O.NONBLOCK));
    if (fd < 0) {
      if (-fd === ERRNO.ENOENT || -fd === ERRNO.ENOTDIR) continue;
      if (-fd !== ERRNO.ENODEV && -fd !== ENXIO) return lack(path, -fd, modeAndOwner(path));
      return { ok: false, kind: "absent", reason: `${path} exists, but there is no BMC` };
    }
    const call = bindIoctl();
    if (call !== undefined) return { ok: true, door: new DeviceDoor(fd, path, request, call) };
    closeFile(fd);
    return { ok: false, kind: "unusable", reason: `${path}: libc has no ioctl` };
  }
  return { ok: false, kind: "absent", reason: `no ${IPMI_DEVICES[0]}` };
}
