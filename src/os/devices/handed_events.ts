/**
 * Events of perf that other processes open on themselves and hand over: a confined process may open none there.
 * The other side is guardian/samples.h.
 * @module
 */
import { closeFile, O, openFile, readLinkTarget } from "../files.ts";
import { cString } from "../libc.ts";
import { bindMore } from "../bind.ts";
import { openFilesLimit } from "../process.ts";
import { receivePassed } from "../passed_descriptor.ts";

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" }, // domain, type, protocol
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" }, // descriptor, address, its size
} as const;

const AF_UNIX = 1, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000;
const PACKET_BYTES = 1024;
/** Descriptors that stay free: for those of one more packet, and for files that the monitor opens. */
const RESERVED = 128;
const EVENT_LINK = "anon_inode:[perf_event]";
/** Packets of one turn. */
const TURN_MOST = 256;

/** An event on a CPU of a process. */
export interface HandedEvent {
  readonly pid: number;
  /** {@linkcode LAST}: all events of the process have come, and it waits until the descriptor is closed. */
  readonly cpu: number;
  /** −1: it is no event, or there is no room for it; it is closed. */
  readonly fd: number;
}

/** Number of no CPU. */
export const LAST = 0xffffffff;

/** A socket in a session's directory. */
export class HandedEvents implements Disposable {
  readonly #fd: number;
  readonly #packet = new Uint32Array(PACKET_BYTES / 4);
  readonly #maxFd = openFilesLimit() - RESERVED;

  private constructor(fd: number) {
    this.#fd = fd;
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
    if (isBound) return new HandedEvents(fd);
    closeFile(fd);
    return undefined;
  }

  /** Events that have come since the last call. */
  take(): HandedEvent[] {
    const events: HandedEvent[] = [], packet = this.#packet;
    for (let i = 0; i < TURN_MOST; i++) {
      const { size, fds } = receivePassed(this.#fd, new Uint8Array(packet.buffer));
      if (size < 0) break;
      const [pid, ...cpus] = packet.subarray(0, size >> 2);
      // The kernel leaves out descriptors for which there is no room.
      cpus.forEach((cpu, k) => events.push({ pid, cpu, fd: this.#checked(fds[k] ?? -1, cpu) }));
      for (const fd of fds.slice(cpus.length)) closeFile(fd);
    }
    return events;
  }

  /** Any process of this user may send anything: memory of a file that shrinks would end the monitor. */
  #checked(fd: number, cpu: number): number {
    const isEvent = fd >= 0 && fd < this.#maxFd &&
      readLinkTarget(`/proc/self/fd/${fd}`) === EVENT_LINK;
    if (fd < 0 || cpu === LAST || isEvent) return fd;
    closeFile(fd);
    return -1;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
