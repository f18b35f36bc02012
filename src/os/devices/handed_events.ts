/**
 * Events of perf that other processes open on themselves and hand over: a confined process may open none there.
 * The other side is guardian/samples.h.
 * @module
 */
import { closeFile, O, openFile } from "../files.ts";
import { cString } from "../libc.ts";
import { bindMore } from "../bind.ts";
import { receivePassed } from "../passed_descriptor.ts";

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" }, // domain, type, protocol
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" }, // descriptor, address, its size
} as const;

const AF_UNIX = 1, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000;
const PACKET_BYTES = 1024;
/** Packets of one turn. */
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

/** A socket in a session's directory. */
export class HandedEvents implements Disposable {
  readonly #fd: number;
  readonly #packet = new Uint32Array(PACKET_BYTES / 4);

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
      fds.forEach((fd, k) => {
        if (k < cpus.length) events.push({ pid, cpu: cpus[k], fd });
        else closeFile(fd);
      });
    }
    return events;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
