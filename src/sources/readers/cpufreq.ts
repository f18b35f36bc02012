/**
 * Frequencies as the kernel's cpufreq drivers see them, one directory a CPU.
 *
 * Truth: Documentation/admin-guide/pm/cpufreq.rst. Files hold kHz. Reading `scaling_cur_freq` may
 * interrupt the CPU that it reads. Names: the CPUFREQ group of geopm_pio(7).
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { absent, fileOffer, lookAt } from "./offers.ts";
import { TextReading } from "./readings/text.ts";

const CPU_DIR = "/sys/devices/system/cpu";
const KILO = 1000;

const FILES: readonly (readonly [file: string, about: string, quirks?: string])[] = [
  [
    "scaling_cur_freq",
    "Current clock frequency, as the frequency driver reports it",
    "reading the value may interrupt the CPU for a short time",
  ],
  ["scaling_min_freq", "Lowest frequency that the governor may choose"],
  ["scaling_max_freq", "Highest frequency that the governor may choose"],
  ["cpuinfo_cur_freq", "Frequency as the hardware reports it", "only root may read this value"],
  ["cpuinfo_min_freq", "Lowest frequency of the hardware"],
  ["cpuinfo_max_freq", "Highest frequency of the hardware"],
  ["base_frequency", "Base frequency, if the driver is intel_pstate"],
  ["bios_limit", "Highest frequency that the firmware allows"],
];

/** The reader of cpufreq's files. */
export const cpufreq: Reader = {
  name: "CPUFREQ",
  about: "Clock frequencies of the CPUs and their limits, as the kernel reports them.",
  needs: { files: [`${CPU_DIR}/`], libraries: [], capabilities: [] },
  signals: FILES.map(([file, about, quirks]): SignalRow => ({
    name: `CPUFREQ::${file.toUpperCase()}`,
    domain: "cpu",
    unit: "Hz",
    behavior: "variable",
    agg: "average",
    about,
    source: `${CPU_DIR}/cpuN/cpufreq/${file}`,
    quirks,
  })),
  probe,
  open: (host, wanted) =>
    new TextReading(host, wanted, (row) =>
      host.topology.cpus("board", 0).map((cpu) => ({
        path: pathOf(cpu, row),
        scale: KILO,
        instance: cpu,
      }))),
};

function pathOf(cpu: number, row: SignalRow): string {
  return `${CPU_DIR}/cpu${cpu}/cpufreq/${row.name.slice(9).toLowerCase()}`;
}

function probe(host: Host): Offer {
  const cpu = host.topology.cpus("board", 0)[0] ?? 0;
  const dir = `${CPU_DIR}/cpu${cpu}/cpufreq`;
  if (host.list(dir).length === 0) return absent(`no ${dir}: no cpufreq driver, as in most VMs`);
  return lookAt(cpufreq.signals, (row) => {
    return fileOffer(host, pathOf(cpu, row), { resolution: KILO });
  });
}
