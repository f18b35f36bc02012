/**
 * Frequencies that are properties of the processor: base ("sticker"), lowest, highest, step.
 *
 * The base frequency is looked for in this order: `base_frequency` of cpufreq, register 0xCE
 * PLATFORM_INFO (Intel), the model name in /proc/cpuinfo ("@ 2.60GHz"), P-state 0 in register
 * C001_0064h (AMD), CPUID leaf 0x16. Without any it is absent, never 0.
 * Names: geopm_pio_cpuinfo(7).
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { lookAt } from "./offers.ts";
import { identify, registersOf } from "./processor.ts";

const CPU_DIR = "/sys/devices/system/cpu";
const STEP_HZ = 1e8;
const STICKER = "CPUINFO::FREQ_STICKER";
/** Rows that are files of cpufreq. */
const FILES: Readonly<Record<string, string>> = {
  "CPUINFO::FREQ_MIN": "cpuinfo_min_freq",
  "CPUINFO::FREQ_MAX": "cpuinfo_max_freq",
};

const row = (name: string, about: string, source: string): SignalRow => ({
  name: `CPUINFO::${name}`,
  domain: "cpu",
  unit: "Hz",
  behavior: "constant",
  agg: "expect_same",
  about,
  source,
});

/** The reader of the processor's own frequencies. */
export const cpuinfo: Reader = {
  name: "CPUINFO",
  about: "Constant frequencies of the processor model.",
  needs: {
    files: ["/proc/cpuinfo", `${CPU_DIR}/`, "/dev/cpu/"],
    libraries: [],
    capabilities: [],
  },
  signals: [
    row(
      "FREQ_STICKER",
      "Base frequency: the nominal frequency of the processor",
      "cpufreq/base_frequency, registers, model name or CPUID",
    ),
    row("FREQ_MIN", "Lowest clock frequency of the CPU", "cpufreq/cpuinfo_min_freq"),
    row("FREQ_MAX", "Highest clock frequency of the CPU, with turbo", "cpufreq/cpuinfo_max_freq"),
    row("FREQ_STEP", "Step between two frequency settings", "100 MHz on all x86 processors"),
  ],
  probe,
  open(host, wanted) {
    const sticker = findSticker(host);
    const valueOf = (name: string, cpu: number) => {
      if (name in FILES) return kilohertz(host, cpu, FILES[name]) ?? NaN;
      if (name !== STICKER) return STEP_HZ;
      return ownBase(host, cpu) ?? ("hz" in sticker ? sticker.hz : NaN);
    };
    const cpus = Array.from({ length: host.topology.count("cpu") }, (_, cpu) => cpu);
    const values = wanted.flatMap(({ row }) => cpus.map((cpu) => valueOf(row.name, cpu)));
    return {
      isConstant: true,
      readInto: (out) => out.set(values),
      [Symbol.dispose]() {},
    };
  },
};

function probe(host: Host): Offer {
  const sticker = findSticker(host);
  const first = host.topology.cpus("board", 0)[0] ?? 0;
  return lookAt(cpuinfo.signals, ({ name }) => {
    if (name === STICKER) return "hz" in sticker ? { source: sticker.source } : sticker;
    if (name in FILES) {
      const source = `${CPU_DIR}/cpu${first}/cpufreq/${FILES[name]}`;
      const isThere = kilohertz(host, first, FILES[name]) !== undefined;
      return isThere ? { source } : { kind: "absent", reason: `no ${source}` };
    }
    return identify(host).vendor === "other"
      ? { kind: "absent", reason: "not known for this processor" }
      : { source: "fixed", quality: "derived" };
  });
}

function kilohertz(host: Host, cpu: number, file: string): number | undefined {
  const text = host.readText(`${CPU_DIR}/cpu${cpu}/cpufreq/${file}`)?.trim();
  return text !== undefined && /^\d+$/.test(text) && text !== "0" ? Number(text) * 1000 : undefined;
}

/** Processors with two kinds of cores have two base frequencies. */
function ownBase(host: Host, cpu: number): number | undefined {
  return kilohertz(host, cpu, "base_frequency");
}

function findSticker(host: Host): { hz: number; source: string } | Absence {
  const cpu = host.topology.cpus("board", 0)[0] ?? 0;
  const base = ownBase(host, cpu);
  if (base !== undefined) {
    return { hz: base, source: `${CPU_DIR}/cpu${cpu}/cpufreq/base_frequency` };
  }
  const processor = identify(host);
  const { vendor } = processor;
  if (vendor === "intel") {
    const info = register(host, cpu, 0xce);
    const ratio = info === undefined ? 0 : (info[1] >>> 8) & 0xff;
    // Nehalem and Westmere count in steps of the 133 MHz bus.
    const step = [0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f].includes(processor.model)
      ? 400e6 / 3
      : STEP_HZ;
    if (ratio > 0) return { hz: ratio * step, source: "register 0xce (PLATFORM_INFO)" };
  }
  const named = /@\s*([\d.]+)\s*([GM])Hz/i.exec(processor.modelName);
  if (named !== null) {
    const hz = Math.round(Number(named[1]) * 1000) * (named[2].toUpperCase() === "G" ? 1e6 : 1e3);
    return { hz, source: "model name in /proc/cpuinfo" };
  }
  if (vendor === "amd") {
    const hz = firstPState(register(host, cpu, 0xc0010064), processor.family);
    if (hz > 0) return { hz, source: "register 0xc0010064 (P-state 0)" };
  }
  const leaf = host.cpuid(cpu, 0x16);
  const megahertz = leaf === undefined ? 0 : leaf[0] & 0xffff;
  if (megahertz > 0) return { hz: megahertz * 1e6, source: "CPUID leaf 0x16" };
  return {
    kind: "absent",
    reason: "no base_frequency, no PLATFORM_INFO or P-state register, no frequency in the model " +
      "name, no CPUID leaf 0x16",
  };
}

/** AMD families 17h to 19h: FID · 200 MHz / DID while bit 63 is set (valid definition). */
function firstPState(value: readonly [number, number] | undefined, family: number): number {
  if (value === undefined || value[0] < 2147483648 || family < 0x17 || family > 0x19) return 0;
  const divisor = (value[1] >>> 8) & 0x3f;
  return divisor === 0 ? 0 : ((value[1] & 0xff) / divisor) * 200e6;
}

function register(host: Host, cpu: number, offset: number): readonly [number, number] | undefined {
  using device = registersOf(host, cpu);
  return device?.read(offset) === 0 ? [device.high >>> 0, device.low >>> 0] : undefined;
}
