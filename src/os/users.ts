/**
 * Names of users and groups, from wherever the node keeps them: getpwuid(3), getpwnam(3), getgrnam(3).
 *
 * @module
 */
import { bindMore } from "./bind.ts";
import { cString, fromBytes, libc } from "./libc.ts";

const SYMBOLS = {
  getpwuid: { parameters: ["u32"], result: "u64" }, // uid_t; struct passwd*
  getpwnam: { parameters: ["buffer"], result: "u64" }, // char*; struct passwd*
  getgrnam: { parameters: ["buffer"], result: "u64" }, // char*; struct group*
} as const satisfies Deno.ForeignLibraryInterface;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;
const calls = () => opened ??= bindMore(SYMBOLS);
const known = new Map<number, string | undefined>();

/** Name of a user, `undefined` if the node has none. Remembered. */
export function userName(uid: number): string | undefined {
  return known.getOrInsertComputed(uid, lookUp);
}

function lookUp(uid: number): string | undefined {
  const entry = calls()?.getpwuid(uid) ?? 0n;
  if (entry === 0n) return undefined;
  const pointer = new BigUint64Array(1);
  libc().peek(new Uint8Array(pointer.buffer), entry, 8n); // pw_name comes first
  return fromBytes(readName(pointer[0]));
}

/** Number of a user, by name or by number; `undefined` if the node has none. */
export function userId(name: string): number | undefined {
  return numberOf(name, (text) => calls()?.getpwnam(text));
}

/** Number of a group, likewise. */
export function groupId(name: string): number | undefined {
  return numberOf(name, (text) => calls()?.getgrnam(text));
}

/** struct passwd and struct group begin with the same fields: name, password, number. */
function numberOf(
  name: string,
  find: (name: Uint8Array<ArrayBuffer>) => bigint | undefined,
): number | undefined {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  const entry = find(cString(name));
  if (entry === undefined || entry === 0n) return undefined;
  const number = new Uint32Array(1);
  libc().peek(new Uint8Array(number.buffer), entry + 16n, 4n);
  return number[0];
}

/** Bytes of a C string, at most 255: one by one, since the memory after it may not be mapped. */
function readName(address: bigint): Uint8Array {
  const name = new Uint8Array(256);
  const one = new Uint8Array(1);
  for (let i = 0; i < 255; i++) {
    libc().peek(one, address + BigInt(i), 1n);
    if (one[0] === 0) break;
    name[i] = one[0];
  }
  return name;
}
