/**
 * Events of perf that other processes open on themselves and hand over: a confined process may open none there.
 * Datagrams with descriptors: unix(7), recvmsg(2), cmsg(3). The other side is guardian/samples.h.
 * @module
 */
import { closeFile, O, openFile } from "../files.ts";
import { cString, libc } from "../libc.ts";
import { bindMore } from "../bind.ts";

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" }, // domain, type, protocol
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" }, // descriptor, address, its size
  recvmsg: { parameters: ["i32", "u64", "i32"], result: "isize" }, // descriptor, struct msghdr, flags
} as const;

const AF_UNIX = 1, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000, MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x40000000, SOL_SOCKET = 1, SCM_RIGHTS = 1;
const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
const FAILED = 0xffffffffffffffffn;
/** Events of a message, as in guardian/samples.h. */
const BATCH = 64;
/** One page: struct msghdr, struct iovec, data, control data. */
const PAGE = 4096, PART_AT = 64, DATA_AT = 128, DATA_BYTES = 4 * (1 + BATCH);
const CONTROL_AT = 512, CONTROL_BYTES = 16 + 4 * BATCH, CONTROL_LENGTH_AT = 40;
/** Messages of one turn. */
const TURN_MOST = 256;

/** An event on a CPU of a process. */
export interface HandedEvent {
  readonly pid: number;
  /** {@linkcode LAST}: all events of the process have come, and it waits until the descriptor is closed. */
  readonly cpu: number;
  readonly fd: number;
}

/** Number of no CPU. */
export const LAST = 0xffffffff;
type Receive = (fd: number, message: bigint, flags: number) => number | bigint;

/** A socket in a session's directory. */
export class HandedEvents implements Disposable {
  readonly #fd: number;
  readonly #page: bigint;
  readonly #bytes = new Uint8Array(PAGE);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #receive: Receive;

  private constructor(fd: number, page: bigint, receive: Receive) {
    [this.#fd, this.#page, this.#receive] = [fd, page, receive];
  }

  /** @returns `undefined` where it cannot be made: other processes are not sampled then. */
  static open(directory: string): HandedEvents | undefined {
    const calls = bindMore(SYMBOLS), place = openFile(directory, O.RDONLY | O.DIRECTORY);
    if (calls === undefined || place < 0) return undefined;
    const fd = calls.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    // The path of a socket is short, that of a session may be long.
    const path = cString(`/proc/self/fd/${place}/samples`);
    const address = new Uint8Array(2 + path.length);
    address[0] = AF_UNIX;
    address.set(path, 2);
    const isBound = fd >= 0 && calls.bind(fd, address, address.length) === 0;
    closeFile(place);
    const page = isBound
      ? libc().mmap(0n, BigInt(PAGE), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n)
      : FAILED;
    if (page === FAILED) {
      closeFile(fd);
      return undefined;
    }
    return new HandedEvents(fd, page, calls.recvmsg);
  }

  /** Events that have come since the last call. */
  take(): HandedEvent[] {
    const events: HandedEvent[] = [];
    for (let i = 0; i < TURN_MOST; i++) if (!this.#message(events)) break;
    return events;
  }

  #message(events: HandedEvent[]): boolean {
    const view = this.#view, page = this.#page, at = (offset: number) => page + BigInt(offset);
    this.#bytes.fill(0);
    view.setBigUint64(16, at(PART_AT), true);
    view.setBigUint64(24, 1n, true);
    view.setBigUint64(32, at(CONTROL_AT), true);
    view.setBigUint64(CONTROL_LENGTH_AT, BigInt(CONTROL_BYTES), true);
    view.setBigUint64(PART_AT, at(DATA_AT), true);
    view.setBigUint64(PART_AT + 8, BigInt(DATA_BYTES), true);
    libc().poke(page, this.#bytes, BigInt(PAGE));
    const length = Number(this.#receive(this.#fd, page, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
    if (length < 0) return false;
    libc().peek(this.#bytes, page, BigInt(PAGE));
    const control = Number(view.getBigUint64(CONTROL_LENGTH_AT, true));
    const bytes = control < 16 ? 0 : Number(view.getBigUint64(CONTROL_AT, true));
    const isRights = view.getInt32(CONTROL_AT + 8, true) === SOL_SOCKET &&
      view.getInt32(CONTROL_AT + 12, true) === SCM_RIGHTS;
    const count = isRights ? Math.floor((Math.min(bytes, control) - 16) / 4) : 0;
    for (let i = 0; i < count; i++) {
      const fd = view.getInt32(CONTROL_AT + 16 + 4 * i, true);
      if (4 * (i + 2) > length) closeFile(fd);
      else {
        const cpu = view.getUint32(DATA_AT + 4 * (i + 1), true);
        events.push({ pid: view.getUint32(DATA_AT, true), cpu, fd });
      }
    }
    return true;
  }

  [Symbol.dispose](): void {
    libc().munmap(this.#page, BigInt(PAGE));
    closeFile(this.#fd);
  }
}
