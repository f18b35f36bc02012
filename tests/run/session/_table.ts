/** Names as a replay without a catalogue finds them: what the providers offer, else absent. */
import type { Domain } from "../../../src/core/machine/domain.ts";
import type { Behavior, SignalProvider } from "../../../src/core/signal.ts";
import { TRACKER_ALIASES } from "../../../src/marks/tracker/tracker_signals.ts";
import type { NameTable, ResolvedName } from "../../../src/sources/signals/batch.ts";

const KNOWN: Record<string, [Domain, Behavior]> = {
  CPU_ENERGY: ["package", "monotone"],
  DRAM_ENERGY: ["package", "monotone"],
  CPU_POWER: ["package", "variable"],
  DRAM_POWER: ["package", "variable"],
  CPU_CYCLES_THREAD: ["cpu", "monotone"],
  CPU_CYCLES_REFERENCE: ["cpu", "monotone"],
  CPU_FREQUENCY_STATUS: ["cpu", "variable"],
  CPU_CORE_TEMPERATURE: ["core", "variable"],
  GPU_ENERGY: ["gpu", "monotone"],
  "CPUINFO::FREQ_STICKER": ["cpu", "constant"],
};

export function tableOf(providers: readonly SignalProvider[]): NameTable {
  const table = new Map<string, ResolvedName>();
  for (const [name, [domain, behavior]] of Object.entries(KNOWN)) {
    table.set(name, { kind: "absent", domain, behavior, reason: "not recorded" });
  }
  for (const provider of providers) {
    for (const signal of provider.signals) {
      table.set(signal.row.name, { kind: "offered", provider, signal, phase: "settle" });
    }
  }
  for (const [alias, name] of Object.entries(TRACKER_ALIASES)) table.set(alias, table.get(name)!);
  return {
    resolve: (name) => table.get(name) ?? { kind: "unknown" },
    names: () => table.keys(),
  };
}
