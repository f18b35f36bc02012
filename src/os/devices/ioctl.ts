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

/** Requests PERF_EVENT_IOC_ENABLE and PERF_EVENT_IOC_SET_OUTPUT. */
const ENABLE = 0x2400n, SET_OUTPUT = 0x2405n;

/** Requests to events of perf: 0, or −1 and errno. */
export interface EventCalls {
  /** Lets records of one event go into the ring of another one. */
  redirect(fd: number, to: number): number;
  /** Lets an event count from now on. */
  enable(fd: number): number;
}

/** Binds the calls. */
export function bindEventCalls(): EventCalls {
  const symbols = { ioctl: { parameters: ["i32", "u64", "u64"], result: "i32" } } as const;
  const call = bindMore(symbols)?.ioctl ?? (() => -1);
  return {
    redirect: (fd, to) => call(fd, SET_OUTPUT, BigInt(to)),
    enable: (fd) => call(fd, ENABLE, 0n),
  };
}
