/**
 * A node with 256 CPUs whose registers are files in memory, and a batch of 5 of them on each.
 *
 * @module
 */
import type { Registers } from "../../src/core/machine/host.ts";
import { MachineHost } from "../../src/os/host.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { Batch } from "../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../src/sources/signals/catalogue.ts";
import { memoryFolder } from "./register_files.ts";

export const CPUS = 256;
const REGISTERS = [0x10, 0xe7, 0xe8, 0x198, 0x19c];
const SIGNALS = [
  "MSR::TIME_STAMP_COUNTER:TIMESTAMP_COUNT",
  "MSR::MPERF:MCNT",
  "MSR::APERF:ACNT",
  "MSR::PERF_STATUS:FREQ",
];
/** Of a core, which is a CPU here. */
const CORE_SIGNAL = "MSR::THERM_STATUS:TEMPERATURE";

/** Values that a tick brings: one for each register of each CPU. */
export const VALUES = CPUS * REGISTERS.length;

/** Opens it; `reads` are the same reads without any of our work on them. */
export function openWideNode() {
  const root = memoryFolder();
  const write = (path: string, text: string) => {
    Deno.mkdirSync((root + path).slice(0, (root + path).lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(root + path, text);
  };
  const cpu = "/sys/devices/system/cpu";
  write(`${cpu}/online`, `0-${CPUS - 1}\n`);
  write(`${cpu}/present`, `0-${CPUS - 1}\n`);
  write("/proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n");
  const words = new BigUint64Array(0x620);
  const values = { 0x10: 5n, 0xe7: 7n, 0xe8: 9n, 0x198: 0x1a00n, 0x19c: 0x88200000n };
  for (const [register, value] of Object.entries({ ...values, 0x1a2: 0x5e0000n })) {
    words[Number(register)] = value;
  }
  for (let i = 0; i < CPUS; i++) {
    write(`${cpu}/cpu${i}/topology/physical_package_id`, `${i >> 7}\n`);
    write(`${cpu}/cpu${i}/topology/core_id`, `${i & 127}\n`);
    Deno.mkdirSync(`${root}/dev/cpu/${i}`, { recursive: true });
    Deno.writeFileSync(`${root}/dev/cpu/${i}/msr`, new Uint8Array(words.buffer));
  }
  const host = new MachineHost(root);
  const catalogue = buildCatalogue({ host, readers: READERS });
  const batch = new Batch(host.topology, catalogue);
  for (let i = 0; i < CPUS; i++) {
    for (const name of SIGNALS) batch.pushSignal(name, "cpu", i);
    batch.pushSignal(CORE_SIGNAL, "core", i);
  }
  const devices: Registers[] = Array.from({ length: CPUS }, (_, i) => host.registers(i));
  return {
    batch,
    reads() {
      for (let i = 0; i < CPUS; i++) {
        for (let k = 0; k < REGISTERS.length; k++) devices[i].read(REGISTERS[k]);
      }
    },
    [Symbol.dispose]() {
      batch[Symbol.dispose]();
      for (const device of devices) device[Symbol.dispose]();
      Deno.removeSync(root, { recursive: true });
    },
  };
}
