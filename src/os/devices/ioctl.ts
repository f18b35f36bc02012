/** ioctl(2), bound if a device needs it: no run that has no such device pays for it. */

import { bindMore } from "../bind.ts";

/** The call: what the driver answers, below 0 for none. */
export type DeviceCall = (fd: number, request: bigint, buffer: Uint8Array<ArrayBuffer>) => number;

const SYMBOLS = {
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

let bound: DeviceCall | undefined;

/** `undefined` if libc has none. */
export function bindIoctl(): DeviceCall | undefined {
  return bound ??= bindMore(SYMBOLS, true)?.ioctl;
}
