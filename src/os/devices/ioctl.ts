/** ioctl(2), bound where a device needs it: no run that has no such device pays for it. */

import { LIBC_PATHS } from "../bind.ts";

/** The call: what the driver answers, below 0 for none. */
export type DeviceCall = (fd: number, request: bigint, buffer: Uint8Array<ArrayBuffer>) => number;

let bound: DeviceCall | undefined;

/** `undefined` where libc has none. */
export function bindIoctl(): DeviceCall | undefined {
  if (bound !== undefined) return bound;
  for (const path of LIBC_PATHS) {
    try {
      const library = Deno.dlopen(path, {
        ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
      });
      return bound = library.symbols.ioctl;
    } catch {
      // Not at this place.
    }
  }
  return undefined;
}
