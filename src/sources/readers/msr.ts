/**
 * Model specific registers: RAPL energy and limits, clocks, temperatures, uncore.
 *
 * Access is an 8-byte read at the register's number on /dev/cpu/N/msr or msr_safe; the rows and
 * their sources are in `tables/msr_fields.ts`. A register of a package or core is read on one of
 * its CPUs. What a processor really has is found by reading: a register that faults is absent.
 * @module
 */
import { errorText } from "../../os/libc.ts";
import type { Remedy } from "../../core/remedy.ts";
import { bits } from "../../core/machine/msr_field.ts";
import type { Host, Reader, Registers } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { absent, type Found, lookAt } from "./offers.ts";
import { MSR_BATCH, openMsrBatch } from "../../os/devices/msr_batch.ts";
import { cpusOfCounters } from "./package_counters.ts";
import { boundW, fastest } from "./readings/power_bound.ts";
import { identify, type Processor, registersOf } from "./processor.ts";
import { type MsrItem, MsrReading, type OpenBatch } from "./readings/msr.ts";
import { MSR_REGISTERS, type MsrField, type MsrRegister } from "./tables/msr_fields.ts";
import {
  decodeUnits,
  fixedUnits,
  NO_DRAM_DOMAIN,
  NO_PP0_DOMAIN,
  type RaplUnits,
} from "./tables/rapl_units.ts";

const EIO = 5;
/** Fields that limit the power of a package. */
const LIMIT_FIELDS = [
  "MSR::PKG_POWER_LIMIT:PL1_POWER_LIMIT",
  "MSR::PKG_POWER_LIMIT:PL2_POWER_LIMIT",
  "MSR::PKG_POWER_INFO:THERMAL_SPEC_POWER",
  "MSR::PKG_POWER_INFO:MAX_POWER",
] as const;
const EACCES = 13;

const REMEDIES: readonly Remedy[] = [
  {
    risk: "low",
    opens: "one group can read the registers of the allow list, and no other register",
    lines: [
      "modprobe msr-safe",
      "./joulemark doctor --allow-list > /dev/cpu/msr_allowlist",
      "chgrp GROUP /dev/cpu/*/msr_safe /dev/cpu/msr_batch",
      "chmod 0440 /dev/cpu/*/msr_safe /dev/cpu/msr_batch",
    ],
  },
  {
    risk: "high",
    opens: "one group can read every register, and the executable may do raw I/O (CAP_SYS_RAWIO)",
    lines: [
      "modprobe msr",
      "chgrp GROUP /dev/cpu/*/msr",
      "chmod 0440 /dev/cpu/*/msr",
      "setcap cap_sys_rawio=ep ./joulemark",
    ],
  },
];

/** The reader of registers. */
export const msr: Reader = {
  name: "MSR",
  about:
    "Registers of Intel and AMD processors: energy (RAPL), cycles, frequencies, temperatures, limits.",
  remedies: REMEDIES,
  needs: {
    files: ["/dev/cpu/", "/proc/cpuinfo", "/sys/class/msr"],
    libraries: [],
    capabilities: ["CAP_SYS_RAWIO"],
  },
  signals: rows(),
  probe,
  open(host, wanted) {
    using survey = new Survey(host);
    const items = wanted.map((signal) => survey.item(signal.row));
    return new MsrReading(host, items, { tjMaxC: survey.tjMaxC(), openBatch: batchOf(host) });
  },
};

/** msr-safe's batch device reads what msr-safe's own devices do, and nothing else. */
function batchOf(host: Host): OpenBatch | undefined {
  if (host.root !== "") return undefined;
  const access = host.probeRegisters(host.topology.cpus("board", 0)[0] ?? 0);
  const safe = access.ok && access.device.endsWith("/msr_safe") && host.probe(MSR_BATCH).ok;
  return safe ? openMsrBatch : undefined;
}

function rows(): SignalRow[] {
  const byName = new Map<string, SignalRow>();
  for (const register of MSR_REGISTERS) {
    const at = `register 0x${register.offset.toString(16)}`;
    for (const { name, unit, behavior, agg, format, about, quirks } of register.fields) {
      const known = byName.get(name);
      byName.set(
        name,
        known !== undefined ? { ...known, source: `${known.source}; ${at}` } : {
          name,
          domain: register.domain,
          unit,
          behavior,
          agg,
          format,
          about,
          source: at,
          quirks,
        },
      );
    }
    const whole = `MSR::${register.name}#`;
    byName.set(whole, {
      name: whole,
      domain: register.domain,
      unit: "",
      behavior: "label",
      agg: "select_first",
      format: "raw64",
      about: `All 64 bits of the register`,
      source: byName.has(whole) ? `${byName.get(whole)!.source}; ${at}` : at,
    });
  }
  return [...byName.values()];
}

function probe(host: Host): Offer {
  const processor = identify(host);
  if (processor.vendor === "other") return absent("not an Intel or AMD processor");
  const first = host.topology.cpus("board", 0)[0] ?? 0;
  const access = host.probeRegisters(first);
  if (!access.ok) {
    return { ok: false, ...whyClosed(host, access, processor) };
  }
  using survey = new Survey(host);
  const found = lookAt(msr.signals, (row) => survey.look(row));
  if (found.signals.length === 0) {
    const reason = survey.unitReason ?? "no register of the tables can be read";
    return absent(reason);
  }
  return found;
}

/** Why no device of registers can be opened: no hardware, hidden in a container, no driver, no permission. */
function whyClosed(host: Host, access: Absence, { hypervisor }: Processor): Absence {
  const { kind, reason } = access;
  // Virtual machines have the device, and no energy behind it.
  if (hypervisor) return { kind: "absent", reason: `${reason}: a virtual machine` };
  if (kind !== "absent" || host.root !== "") return access;
  if (host.list("/sys/class/msr").length === 0) {
    return { kind, reason, remedy: "modprobe msr (as root)" };
  }
  const remedy = "give the container the devices (docker run --device)";
  return {
    kind,
    reason: `${reason}, although the driver is loaded: a container hides the device`,
    remedy,
  };
}

/** Looks at the registers of one node. */
class Survey {
  readonly #host: Host;
  readonly #processor: Processor;
  readonly #open = new Map<number, Registers | undefined>();
  /** errno or the pair of halves, by CPU and register. */
  readonly #seen = new Map<string, number | readonly [number, number]>();
  readonly #units: RaplUnits | undefined;
  /** Why RAPL registers cannot be read here. */
  readonly unitReason: string | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#processor = identify(host);
    const found = this.#readUnits();
    this.#units = typeof found === "string" ? undefined : found;
    this.unitReason = typeof found === "string" ? found : undefined;
  }

  [Symbol.dispose](): void {
    for (const device of this.#open.values()) device?.[Symbol.dispose]();
    this.#open.clear();
  }

  /** State of the row on this node. */
  look(row: SignalRow): Found | Absence {
    const found = this.#find(row.name);
    if (found === undefined) {
      return { kind: "absent", reason: `no such register on ${this.#processor.vendor} processors` };
    }
    const { register, field } = found;
    const excluded = this.#excluded(register, field);
    if (excluded !== undefined) return { kind: "absent", reason: excluded };
    const cpus = this.#cpus(register, field).flat();
    const cpu = cpus.find((c) => c >= 0);
    if (cpu === undefined) return { kind: "absent", reason: `no ${register.domain} has a CPU` };
    const value = this.#read(cpu, register.offset);
    const name = `0x${register.offset.toString(16)}`;
    if (typeof value === "number") return refused(value, name, cpu);
    const dead = this.#deadReason(register, field, cpus);
    if (dead !== undefined) return { kind: "absent", reason: `register ${name} ${dead}` };
    const energy = field?.unit === "J" && field.fn === "overflow";
    const access = this.#host.probeRegisters(cpu);
    const device = access.ok ? access.device : `/dev/cpu/${cpu}/msr`;
    const scale = field === undefined ? 1 : this.#scale(field);
    const counter = field?.fn === "overflow";
    return {
      source: `${device}, register ${name}`,
      note: field?.scale === "dramJ"
        ? this.#units?.dramNote ?? this.#units?.note
        : typeof field?.scale === "string"
        ? this.#units?.note
        : undefined,
      updatePeriodS: energy ? 0.001 : undefined,
      resolution: field !== undefined && field.fn !== "7_bit_float" && field.fn !== "logic" &&
          field.fn !== "log_half"
        ? scale
        : undefined,
      wrapRange: counter ? 2 ** (field.end - field.begin + 1) * scale : undefined,
    };
  }

  /** Registers and scale to read for an offered row. */
  item(row: SignalRow): MsrItem {
    const { register, field } = this.#find(row.name)!;
    const scale = field === undefined ? 1 : this.#scale(field);
    const most = field?.maxPerSecond;
    const isPackage = register.name === "PKG_ENERGY_STATUS";
    const rate = most !== undefined && isPackage ? this.#packageBoundW(most) : most;
    return {
      name: row.name,
      offset: register.offset,
      cpus: this.#cpus(register, field),
      field,
      scale,
      constant: row.behavior === "constant",
      maxPerSecond: rate === undefined ? undefined : fastest(this.#host, rate, scale),
    };
  }

  /** By the limits and the design power of the packages; AMD's registers have none. */
  #packageBoundW(fallbackW: number): number {
    const watts = LIMIT_FIELDS.flatMap((name) => {
      const found = this.#find(name);
      if (found === undefined || this.#units === undefined) return [];
      const scale = this.#scale(found.field!);
      return this.#cpus(found.register, found.field).flat().flatMap((cpu) => {
        const value = cpu < 0 ? EIO : this.#read(cpu, found.register.offset);
        if (typeof value === "number") return [];
        return [bits(value[0], value[1], found.field!.begin, found.field!.end) * scale];
      });
    });
    return boundW(watts, fallbackW);
  }

  /** TjMax by CPU, for the temperatures. */
  tjMaxC(): (cpu: number) => number {
    return (cpu) => {
      const value = this.#read(cpu, 0x1a2);
      return typeof value === "number" ? NaN : (value[1] >>> 16) & 0xff;
    };
  }

  #find(name: string): { register: MsrRegister; field: MsrField | undefined } | undefined {
    const vendor = this.#processor.vendor;
    for (const register of MSR_REGISTERS) {
      if (register.vendor !== "x86" && register.vendor !== vendor) continue;
      if (name === `MSR::${register.name}#`) return { register, field: undefined };
      const field = register.fields.find((f) => f.name === name);
      if (field !== undefined) return { register, field };
    }
    return undefined;
  }

  #excluded(register: MsrRegister, field: MsrField | undefined): string | undefined {
    const model = this.#processor.model;
    const intel = this.#processor.vendor === "intel";
    if (intel && register.name === "DRAM_ENERGY_STATUS" && NO_DRAM_DOMAIN.includes(model)) {
      return "this model has no memory domain";
    }
    if (intel && register.name === "PP0_ENERGY_STATUS" && NO_PP0_DOMAIN.includes(model)) {
      return "this model has no counter of power plane 0";
    }
    const rapl = typeof field?.scale === "string" || register.name === "RAPL_POWER_UNIT";
    if (rapl && this.#units === undefined) return this.unitReason;
    return undefined;
  }

  /** Why a register that exists and reads 0 is unusable; `undefined`: it is usable. */
  #deadReason(
    register: MsrRegister,
    field: MsrField | undefined,
    cpus: readonly number[],
  ): string | undefined {
    if (field === undefined) return undefined;
    const zero = () => cpus.every((cpu) => cpu < 0 || this.#isZero(cpu, register.offset));
    if (field.fn === "overflow") {
      // A throttle time of 0 is good news; an energy or a cycle count of 0 is no counter.
      if (field.unit === "J" && zero()) return "reads 0: this processor has no such domain";
      if (field.unit === "" && zero()) return "reads 0: the counter is not switched on";
    } else if (field.unit === "Hz" || register.name.endsWith("POWER_INFO")) {
      if (zero()) return "reads 0: the processor does not report it";
    } else if (field.belowTjMax !== undefined) {
      const cpu = cpus.find((c) => c >= 0)!;
      const tj = this.tjMaxC()(cpu);
      if (!(tj > 0)) return "needs register 0x1a2 (TEMPERATURE_TARGET), which holds no value";
    }
    return undefined;
  }

  #readUnits(): RaplUnits | string {
    const { vendor, model } = this.#processor;
    if (vendor === "other") return "not an Intel or AMD processor";
    const offset = vendor === "intel" ? 0x606 : 0xc0010299;
    const cpu = this.#firstReadable(this.#host.topology.cpus("package", 0));
    const value = this.#read(Math.max(0, cpu), offset);
    if (typeof value !== "number") {
      if (value[0] === 0 && value[1] === 0) {
        return `unit register 0x${offset.toString(16)} reads 0: no RAPL, as in virtual machines`;
      }
      return decodeUnits(value[1], vendor, model);
    }
    const energy = vendor === "intel" ? 0x611 : 0xc001029b;
    const counter = this.#read(Math.max(0, cpu), energy);
    if (vendor === "intel" && typeof counter !== "number") return fixedUnits(model);
    return `unit register 0x${offset.toString(16)} cannot be read (${errorText(value)})`;
  }

  #scale(field: MsrField): number {
    return typeof field.scale === "number" ? field.scale : this.#units?.[field.scale] ?? NaN;
  }

  /** CPUs by instance of the register's domain: one, or one of each counter that adds to the instance. */
  #cpus({ domain, offset }: MsrRegister, field: MsrField | undefined): number[][] {
    const topology = this.#host.topology;
    if (domain === "board") return [[this.#masterCpu(offset)]];
    const adds = domain === "package" && (field?.unit === "J" || field?.unit === "W");
    return Array.from({ length: topology.count(domain) }, (_, i) => {
      const counters = adds ? cpusOfCounters(this.#host, i) : [topology.cpus(domain, i)];
      return counters.map((cpus) => this.#firstReadable(cpus));
    });
  }

  /** The platform's counter may be readable on each package, but only one of them counts. */
  #masterCpu(offset: number): number {
    const topology = this.#host.topology;
    let first = -1;
    for (let p = 0; p < topology.count("package"); p++) {
      const cpu = this.#firstReadable(topology.cpus("package", p));
      if (cpu < 0) continue;
      if (first < 0) first = cpu;
      const value = this.#read(cpu, offset);
      if (typeof value !== "number" && (value[0] !== 0 || value[1] !== 0)) return cpu;
    }
    return first;
  }

  #firstReadable(cpus: readonly number[]): number {
    return cpus.find((cpu) => this.#device(cpu) !== undefined) ?? -1;
  }

  #device(cpu: number): Registers | undefined {
    return this.#open.getOrInsertComputed(cpu, () => registersOf(this.#host, cpu));
  }

  #isZero(cpu: number, offset: number): boolean {
    const value = this.#read(cpu, offset);
    return typeof value === "number" || (value[0] === 0 && value[1] === 0);
  }

  #read(cpu: number, offset: number): number | readonly [number, number] {
    const key = `${cpu}/${offset}`;
    const seen = this.#seen.get(key);
    if (seen !== undefined) return seen;
    const device = this.#device(cpu);
    const errno = device === undefined ? EACCES : device.read(offset);
    const value = errno === 0 ? [device!.high >>> 0, device!.low >>> 0] as const : errno;
    this.#seen.set(key, value);
    return value;
  }
}

function refused(errno: number, name: string, cpu: number): Absence {
  if (errno === EACCES) {
    return {
      kind: "forbidden",
      reason: `register ${name} is not in the allow list of msr-safe`,
      remedy: `add "${name} 0x0000000000000000" to the allow list`,
    };
  }
  const why = errno === EIO ? "faults (EIO): this processor does not have it" : errorText(errno);
  return { kind: "absent", reason: `register ${name} of CPU ${cpu}: ${why}` };
}
