/**
 * Rights that this executable has and its caller has not: capabilities of its file, setcap(8).
 *
 * They are for counters alone. The guardian takes them out of effect before it opens anything
 * (src/job/guardian/rights.h); here they are in effect while a counter is opened, on the thread that opens it.
 * All else, what words and variables name and what lies in the session, is opened by the caller's rights, and
 * no code is taken from where the caller names it.
 * @module
 */
import { libc } from "../libc.ts";

/** getauxval(3). */
const AT_SECURE = 23n;
const LINUX_CAPABILITY_VERSION_3 = 0x20080522;
/** struct __user_cap_data_struct, twice: effective, permitted, inheritable of 32 capabilities each. */
const SET = { effective: 0, permitted: 1, words: 6, half: 3 } as const;
/** Directories of the kernel with devices and counters, in which users make no files. */
const KERNEL = /^\/(?:sys|proc|dev(?!\/shm|\/mqueue))\/(?!.*\.\.)/;

let elevated: boolean | undefined;

/** Was this program started with more rights than its caller has? */
export function isElevated(): boolean {
  return elevated ??= libc().getauxval(AT_SECURE) !== 0n;
}

interface Rights {
  readonly raised: Uint8Array<ArrayBuffer>;
  readonly lowered: Uint8Array<ArrayBuffer>;
}

const header = new Uint8Array(new Uint32Array([LINUX_CAPABILITY_VERSION_3, 0]).buffer);
/** `null`: none that are not in effect anyhow. */
let rights: Rights | null | undefined;
let isRaised = false;

/**
 * Opens a counter with the capabilities of the executable's file in effect; without such, it only opens it.
 *
 * @param path With more than the caller's rights only below /sys, /proc and /dev; `undefined`: it has none.
 * @param open Does nothing else.
 */
export function openCounter<T>(path: string | undefined, open: () => T): T {
  if (rights === null || isRaised) return open();
  if (path !== undefined && !KERNEL.test(path)) return open();
  rights ??= findRights();
  if (rights === null) return open();
  isRaised = libc().capset(header, rights.raised) === 0;
  try {
    return open();
  } finally {
    libc().capset(header, rights.lowered);
    isRaised = false;
  }
}

function findRights(): Rights | null {
  if (!isElevated()) return null;
  const words = new Uint32Array(SET.words);
  if (libc().capget(header, new Uint8Array(words.buffer)) !== 0) return null;
  const raised = words.slice();
  for (const at of [0, SET.half]) raised[at + SET.effective] = words[at + SET.permitted];
  if (raised.every((word, i) => word === words[i])) return null;
  return { raised: new Uint8Array(raised.buffer), lowered: new Uint8Array(words.buffer) };
}
