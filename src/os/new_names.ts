/**
 * Ends a wait when a directory gets a file, so that no polling is needed: F_NOTIFY of fcntl(2),
 * which sends SIGIO.
 *
 * inotify(7) could be polled, but to close one takes the kernel up to 20 ms, for which the end of a
 * run would wait. The signal goes to this thread, which blocks it except during the wait
 * (ppoll(2)); its handler does nothing.
 * @module
 */
import { bindMore } from "./bind.ts";
import { signalBit } from "./inherited.ts";
import { libc, SYSCALLS } from "./libc.ts";
import { handleWithoutEffect, signalSet } from "./signals.ts";

const SIGIO = 29, SIG_BLOCK = 0;
const F_SETOWN_EX = 15, F_OWNER_TID = 0;
const F_NOTIFY = 1026, DN_CREATE = 0x4n, DN_RENAME = 0x10n, DN_MULTISHOT = 0x80000000n;

const SYMBOLS = {
  fcntl: { parameters: ["i32", "i32", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** New names in one directory. */
export class NewNames {
  /**
   * Signals that stay blocked while one waits for new names, as ppoll(2) takes them; `undefined`: the kernel does
   * not tell of names.
   */
  readonly mask: Uint8Array<ArrayBuffer> | undefined;

  /**
   * For the thread that calls this.
   *
   * @param directory Its descriptor; as long as it is open names are told.
   */
  constructor(directory: number) {
    const c = libc();
    if (!handleWithoutEffect(SIGIO)) return;
    const own = signalSet(signalBit(SIGIO)), before = new Uint8Array(128);
    if (c.sigmask(SIG_BLOCK, own, before) !== 0) return;
    const owner = new Int32Array([F_OWNER_TID, Number(c.gettid(SYSCALLS.gettid))]);
    const kinds = DN_CREATE | DN_RENAME | DN_MULTISHOT;
    const isOwned = bindMore(SYMBOLS)?.fcntl(directory, F_SETOWN_EX, new Uint8Array(owner.buffer));
    if (isOwned !== 0 || c.fcntl(directory, F_NOTIFY, kinds) !== 0) return;
    for (let i = 0; i < own.length; i++) before[i] &= ~own[i];
    this.mask = before;
  }
}
