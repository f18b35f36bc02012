/**
 * Turns ticks over a BMC that takes requests and never answers, and says when: run under
 * --v8-flags=--trace-gc by a test that counts the collections between the two marks.
 *
 * @module
 */
import { DeviceDoor } from "../../src/os/devices/ipmi.ts";
import { libc } from "../../src/os/libc.ts";
import { IpmiReading } from "../../src/sources/readers/readings/ipmi.ts";

const TICKS = 200_000;
// A signalfd that waits for no signal: never ready, as a device without messages.
const fd = libc().signalfd(-1, new Uint8Array(128), 0o2004000);
const request = { netfn: 0x2c, command: 2, data: Uint8Array.of(0xdc, 1, 0, 0) };
const door = new DeviceDoor(fd, "/dev/ipmi0", request, () => 0);
const lack = { ok: false, kind: "absent", reason: "gone" } as const;
const reading = new IpmiReading("X", () => lack, door, { id: 1, watts: 300 });
const out = new Float64Array(1);
let turned = 0;

function turn(ticks: number): void {
  // 200 ticks a second, at whole seconds: a fraction would be allocated for the call.
  for (let i = 0; i < ticks; i++) reading.readInto(out, ((turned + i) / 200) | 0);
  turned += ticks;
}

turn(TICKS / 4);
console.log(`begin ${performance.now().toFixed(0)}`);
const start = performance.now();
turn(TICKS);
const perTickUs = ((performance.now() - start) * 1000) / TICKS;
console.log(`end ${performance.now().toFixed(0)}`);
console.log(`${perTickUs.toFixed(2)} us a tick, ${reading.troubles[0].count} without answer`);
reading[Symbol.dispose]();
