/**
 * Private unix sockets with the peer's credentials: unix(7), and waiting for them beside timers; ports
 * of this node, for those who ask for one: ip(7).
 *
 * The runtime's own listener does not report who is at the other end, which is what a private socket
 * is for.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import { closeFile, statPath } from "./files.ts";
import { bindNeeded } from "./bind.ts";
import { cString, ERRNO, errno, errorText, libc } from "./libc.ts";
import { POLLIN, POLLOUT } from "./poll.ts";

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" }, // domain, type, protocol
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" }, // fd, sockaddr*, length
  listen: { parameters: ["i32", "i32"], result: "i32" }, // fd, backlog
  accept4: { parameters: ["i32", "u64", "u64", "i32"], result: "i32" }, // fd, null, null, flags
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  umask: { parameters: ["u32"], result: "u32" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  // on a thread of the runtime, so that timers and signals go on
  pollAside: {
    name: "poll",
    parameters: ["buffer", "u64", "i32"],
    result: "i32",
    nonblocking: true,
  },
} as const satisfies Deno.ForeignLibraryInterface;

type Calls = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

const AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10;
const SOCK_STREAM_CLOEXEC = 0o2000001;
const SOCK_NONBLOCK = 0o4000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_PEERCRED = 17;
const SO_RCVTIMEO = 20;
const SO_SNDTIMEO = 21;
const MSG_NOSIGNAL = 0x4000, MSG_DONTWAIT = 0x40;
const F_GETFL = 3, F_SETFL = 4;
const EFD_CLOEXEC_NONBLOCK = 0o2004000;
/** sun_path, its NUL included. */
const MAX_PATH_BYTES = 108;
/** A line that is longer is none. */
const LINE_BYTES = 8192;

let opened: Calls | undefined;

function calls(): Calls {
  return opened ??= bindNeeded(SYMBOLS);
}

/** struct sockaddr_un. @throws {AccessError} If the path is too long for one. */
function address(path: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  if (name.length >= MAX_PATH_BYTES) {
    throw new AccessError({
      action: "use the socket",
      target: path,
      expected: `a path below ${MAX_PATH_BYTES} bytes`,
      found: `${name.length}`,
    });
  }
  const bytes = new Uint8Array(2 + name.length + 1);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  return bytes;
}

/** A port of this node: an address in numbers, 4 bytes or 16, and the port. */
export interface PortAddress {
  readonly bytes: Uint8Array;
  readonly port: number;
}

/** struct sockaddr_in or sockaddr_in6. */
function portAddress({ bytes, port }: PortAddress): Uint8Array<ArrayBuffer> {
  const isLong = bytes.length === 16;
  const address = new Uint8Array(isLong ? 28 : 16);
  const view = new DataView(address.buffer);
  view.setUint16(0, isLong ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port);
  address.set(bytes, isLong ? 8 : 4);
  return address;
}

/** Connecting, sending and receiving give up after so long. */
function setTimeouts(fd: number, seconds: number): void {
  const value = new BigInt64Array([BigInt(Math.floor(seconds)), BigInt((seconds % 1) * 1e6 | 0)]);
  const bytes = new Uint8Array(value.buffer);
  for (const option of [SO_RCVTIMEO, SO_SNDTIMEO]) {
    calls().setsockopt(fd, SOL_SOCKET, option, bytes, bytes.length);
  }
}

/** Process and user at the other end. */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
}

/** A connection; lines of text go both ways. */
export class Connection {
  /** @param descriptor For poll(2). */
  constructor(readonly descriptor: number) {}

  /** Credentials as the kernel recorded them when the peer connected; `undefined` if not known. */
  get peer(): PeerCredentials | undefined {
    const credentials = new Int32Array(3);
    const bytes = new Uint8Array(credentials.buffer);
    const length = new Uint8Array(Uint32Array.of(12).buffer);
    if (calls().getsockopt(this.descriptor, SOL_SOCKET, SO_PEERCRED, bytes, length) !== 0) {
      return undefined;
    }
    return { pid: credentials[0], uid: credentials[1] >>> 0 };
  }

  /** From where: a user, or the address of a node, of IPv6 its network. For shares of what is scarce. */
  get origin(): string {
    const bytes = new Uint8Array(28), size = new Uint8Array(Uint32Array.of(28).buffer);
    calls().getpeername(this.descriptor, bytes, size);
    if (bytes[0] !== AF_INET && bytes[0] !== AF_INET6) return `user ${this.peer?.uid}`;
    const isMapped = bytes[18] === 255 && bytes[19] === 255;
    const at = bytes[0] === AF_INET ? 4 : isMapped ? 20 : 8;
    return at !== 8 && bytes[at] === 127
      ? "here"
      : bytes.subarray(at, at === 8 ? 16 : at + 4).join();
  }

  /** Sending and receiving give up after so long. */
  setTimeouts(seconds: number): void {
    setTimeouts(this.descriptor, seconds);
  }

  /** Reads the bytes that an accepted connection has now. @returns Bytes read, −1: the end. */
  readNow(into: Uint8Array<ArrayBuffer>): number {
    const n = Number(libc().read(this.descriptor, into, BigInt(into.length)));
    if (n > 0) return n;
    const number = n < 0 ? errno() : 0;
    return number === ERRNO.EAGAIN || number === ERRNO.EINTR ? 0 : -1;
  }

  /** Sends what there is room for, never waiting. @returns Bytes sent, −1: the peer is closed. */
  sendNow(bytes: Uint8Array<ArrayBuffer>): number {
    const flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    const n = Number(calls().send(this.descriptor, bytes, BigInt(bytes.length), flags));
    if (n >= 0) return n;
    const number = errno();
    return number === ERRNO.EAGAIN || number === ERRNO.EINTR ? 0 : -1;
  }

  /** One line without its end; `undefined` when none comes in time or it is too long. */
  readLine(): string | undefined {
    const bytes = new Uint8Array(LINE_BYTES);
    let length = 0;
    while (length < LINE_BYTES) {
      const left = BigInt(LINE_BYTES - length);
      const n = Number(libc().read(this.descriptor, bytes.subarray(length), left));
      if (n < 0 && errno() === ERRNO.EINTR) continue;
      if (n <= 0) return undefined;
      const end = bytes.subarray(0, length += n).indexOf(10);
      if (end >= 0) return new TextDecoder().decode(bytes.subarray(0, end));
    }
    return undefined;
  }

  /** Sends a line; false when the peer is closed. */
  writeLine(text: string): boolean {
    const bytes = new TextEncoder().encode(text + "\n");
    return calls().send(this.descriptor, bytes, BigInt(bytes.length), MSG_NOSIGNAL) ===
      BigInt(bytes.length);
  }

  [Symbol.dispose](): void {
    closeFile(this.descriptor);
  }
}

const S_IFMT = 0o170000, S_IFSOCK = 0o140000;

/** Removes a socket that nobody listens on. @returns What is there instead, and stays. */
export function clearSocket(path: string): "file" | "listener" | undefined {
  const facts = statPath(path, false);
  if (facts === undefined) return undefined;
  if ((facts.mode & S_IFMT) !== S_IFSOCK) return "file";
  using other = connectTo(path, 1);
  if (other !== undefined) return "listener";
  libc().unlink(cString(path));
}

/** Connects; `undefined` without a listener. @throws {AccessError} If it is not permitted. */
export function connectTo(path: string, timeoutSeconds: number): Connection | undefined {
  const fd = calls().socket(AF_UNIX, SOCK_STREAM_CLOEXEC, 0);
  const to = address(path);
  // Before it connects: a listener whose queue is full would keep us waiting.
  setTimeouts(fd, timeoutSeconds);
  if (calls().connect(fd, to, to.length) === 0) return new Connection(fd);
  const number = errno();
  closeFile(fd);
  if (number === ERRNO.EACCES || number === ERRNO.EPERM) {
    throw new AccessError({ action: "connect to", target: path, found: errorText(number) });
  }
  return undefined;
}

/** Does some work in which new files and sockets get no more than 0777 without these bits. */
export function withUmask<T>(mask: number, work: () => T): T {
  const before = calls().umask(mask);
  try {
    return work();
  } finally {
    calls().umask(before);
  }
}

/** A descriptor to wait for. */
export interface Waiting {
  readonly descriptor: number;
  /** There is something to send, and no room yet. */
  readonly sends: boolean;
}

/** The kernel leaves it out of every poll(2). */
const NO_DESCRIPTOR = -1;

/** Descriptors of this process that listen already: sd_listen_fds(3). */
const FIRST_GIVEN = 3;

/** A listening socket, and a bell that ends a wait from inside. */
export class Listener {
  /** For poll(2). */
  readonly descriptor: number;
  readonly #bell: number;
  readonly #path: string | undefined;

  /** The socket that systemd listened on for us: sd_listen_fds(3); `undefined`: there is none. */
  static given(env: (name: string) => string | undefined): Listener | undefined {
    const isOurs = Number(env("LISTEN_PID")) === libc().getpid() && Number(env("LISTEN_FDS")) === 1;
    if (!isOurs) return undefined;
    const flags = Number(libc().fcntl(FIRST_GIVEN, F_GETFL, 0n));
    libc().fcntl(FIRST_GIVEN, F_SETFL, BigInt(flags | SOCK_NONBLOCK));
    return new Listener(FIRST_GIVEN);
  }

  /** A listener that no client can reach: it waits, and its bell rings. */
  static unreachable(): Listener {
    return new Listener(NO_DESCRIPTOR);
  }

  /**
   * @param to A path, a port, or a descriptor that listens.
   * @param name What the user calls it. @default the path
   * @param backlog Clients that may wait to be accepted. @default 16
   * @throws {AccessError} If it cannot be made.
   */
  constructor(to: string | PortAddress | number, name = String(to), backlog = 16) {
    this.#path = typeof to === "string" ? to : undefined;
    this.#bell = calls().eventfd(0, EFD_CLOEXEC_NONBLOCK);
    if (typeof to === "number") {
      this.descriptor = to;
      return;
    }
    const at = typeof to === "string" ? address(to) : portAddress(to);
    const family = at[0];
    const fd = this.descriptor = calls().socket(family, SOCK_STREAM_CLOEXEC | SOCK_NONBLOCK, 0);
    // A port of a run that ended a moment ago is free again.
    const one = new Uint8Array(Int32Array.of(1).buffer);
    if (family !== AF_UNIX) calls().setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, one, 4);
    if (calls().bind(fd, at, at.length) !== 0 || calls().listen(fd, backlog) !== 0) {
      const found = errorText(errno());
      closeFile(fd);
      closeFile(this.#bell);
      throw new AccessError({ action: "listen on", target: name, found });
    }
  }

  /**
   * Sleeps until a client connects or sends, the bell descriptor is ready, or the time is over.
   *
   * @param others Descriptors of connections and other listeners. @default none
   */
  async wait(milliseconds: number, others: readonly number[] = []): Promise<void> {
    const most = Math.max(0, Math.min(milliseconds, 2147483647));
    const all = [this.descriptor, this.#bell, ...others];
    const polls = new DataView(new ArrayBuffer(8 * all.length));
    all.forEach((fd, i) => {
      polls.setInt32(8 * i, fd, true);
      polls.setInt16(8 * i + 4, POLLIN, true);
    });
    await calls().pollAside(new Uint8Array(polls.buffer), BigInt(all.length), Math.ceil(most));
    libc().read(this.#bell, new Uint8Array(8), 8n);
  }

  /**
   * Waits on this thread, for a process that does nothing else.
   *
   * @param accepts New clients end the wait too. @default true
   * @returns Descriptors of `others` that became ready; the listener itself is not reported.
   */
  waitHere(milliseconds: number, others: readonly Waiting[], accepts = true): Set<number> {
    const polls = new DataView(new ArrayBuffer(8 * (others.length + 1)));
    polls.setInt32(0, accepts ? this.descriptor : -1, true);
    polls.setInt16(4, POLLIN, true);
    others.forEach(({ descriptor, sends }, i) => {
      polls.setInt32(8 * i + 8, descriptor, true);
      polls.setInt16(8 * i + 12, sends ? POLLOUT : POLLIN, true);
    });
    const count = BigInt(others.length + 1);
    libc().poll(new Uint8Array(polls.buffer), count, Math.ceil(milliseconds));
    const ready = others.filter((_, i) => polls.getInt16(8 * i + 14, true) !== 0);
    return new Set(ready.map(({ descriptor }) => descriptor));
  }

  /** Ends a wait, now or the next one. */
  ring(): void {
    libc().write(this.#bell, new Uint8Array(BigUint64Array.of(1n).buffer), 8n);
  }

  /** A client that connected, never waited for; `undefined`: none. */
  accept(): Connection | undefined {
    const fd = calls().accept4(this.descriptor, 0n, 0n, (SOCK_STREAM_CLOEXEC & ~1) | SOCK_NONBLOCK);
    return fd < 0 ? undefined : new Connection(fd);
  }

  [Symbol.dispose](): void {
    closeFile(this.descriptor);
    closeFile(this.#bell);
    try {
      if (this.#path !== undefined) Deno.removeSync(this.#path);
    } catch {
      // another process removed it
    }
  }
}
