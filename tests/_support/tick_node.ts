/**
 * A 48-CPU node on register files in memory, with the signals of a default report: what the tick
 * bench and the garbage test turn.
 *
 * @module
 */
import type { Domain } from "../../src/core/machine/domain.ts";
import type { Registers } from "../../src/core/machine/host.ts";
import { MachineHost } from "../../src/os/host.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { Batch } from "../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../src/sources/signals/catalogue.ts";
import { loadNode } from "./node_tree.ts";
import { memoryFolder, writeRegisterTree } from "./register_files.ts";

/** What a report of region totals is made from. */
const SIGNALS: readonly (readonly [string, Domain])[] = [
  ["CPU_ENERGY", "package"],
  ["DRAM_ENERGY", "package"],
  ["CPU_POWER", "package"],
  ["DRAM_POWER", "package"],
  ["BOARD_ENERGY", "board"],
  ["BOARD_POWER", "board"],
  ["CPU_CYCLES_THREAD", "cpu"],
  ["CPU_CYCLES_REFERENCE", "cpu"],
  ["CPU_FREQUENCY_STICKER", "cpu"],
];

/** Opens node and batch; `reads` are the same reads without any of our work on them. */
export function openTickNode() {
  const root = memoryFolder();
  writeRegisterTree(root, loadNode("cray-xc30-ivb"));
  const host = new MachineHost(root);
  const catalogue = buildCatalogue({ host, readers: READERS });
  const batch = new Batch(host.topology, catalogue);
  for (const [name, domain] of SIGNALS) {
    for (let i = 0; i < host.topology.count(domain); i++) batch.pushSignal(name, domain, i);
  }
  const registers: { device: Registers; offset: number }[] = [];
  for (let cpu = 0; cpu < 48; cpu++) {
    const device = host.registers(cpu);
    // Read first, as the batch does: the reads at every tick.
    if (cpu === 0 || cpu === 12) {
      registers.push({ device, offset: 0x611 }, { device, offset: 0x619 });
    }
    registers.push({ device, offset: 0xe7 }, { device, offset: 0xe8 });
  }
  const dir = "/sys/cray/pm_counters";
  // Freshness before and after, as its protocol wants.
  const files = ["freshness", "energy", "power", "startup", "freshness", "generation"]
    .map((name) => host.keep(`${dir}/${name}`));
  return {
    batch,
    reads() {
      for (let i = 0; i < registers.length; i++) registers[i].device.read(registers[i].offset);
      for (let i = 0; i < files.length; i++) files[i].read();
    },
    [Symbol.dispose]() {
      batch[Symbol.dispose]();
      for (const file of files) file[Symbol.dispose]();
      for (const { device } of registers) device[Symbol.dispose]();
      Deno.removeSync(root, { recursive: true });
    },
  };
}
