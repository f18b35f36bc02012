/**
 * Energy, power and temperatures that chips publish under /sys/class/hwmon.
 *
 * Truth: Documentation/hwmon/sysfs-interface.rst, amd_energy.rst, acpi_power_meter.rst,
 * coretemp.rst, k10temp.rst; for Grace the "Grace Performance Tuning Guide". The number of a hwmon
 * changes between boots: chips are distinguished by `name`, their channels by label.
 * Grace's meters are distinguished by `power1_oem_info`: the socket's total holds the CPU and SysIO
 * rails and is never added to them. The node meters of ibmaem are left alone: in its driver a read of
 * an energy waits for the BMC, and one of a power for a whole interval besides.
 * @module
 */
import { openForJob, type Remedy } from "../../core/remedy.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { absent, type Found, lookAt, offerOrLack } from "./offers.ts";
import { FALLBACK_W } from "./readings/power_bound.ts";
import { energyCounter, TextReading, type TextSource } from "./readings/text.ts";

const DIR = "/sys/class/hwmon";
const MICRO = 1e-6;
const MILLI = 1e-3;

type Shape = Pick<SignalRow, "domain" | "unit" | "behavior" | "agg">;
const PACKAGE_W: Shape = { domain: "package", unit: "W", behavior: "variable", agg: "sum" };
const CELSIUS = { unit: "°C", behavior: "variable", agg: "average" } as const;
const ROOT_ONLY = "since CVE-2020-8694, only root may read this value";

type RowFacts = readonly [shape: Shape, about: string, source: string, quirks?: string];

/** By name; the source is below a chip's folder. */
const ROWS: Readonly<Record<string, RowFacts>> = {
  AMD_SOCKET_ENERGY: [
    { domain: "package", unit: "J", behavior: "monotone", agg: "sum" },
    "Energy of the socket, added up by the driver amd_energy or a similar driver",
    "energyK_input (label EsocketN)",
    ROOT_ONLY,
  ],
  AMD_CORE_ENERGY: [
    { domain: "core", unit: "J", behavior: "monotone", agg: "sum" },
    "Energy of a core, a part of the socket, added up by the driver amd_energy or a similar driver",
    "energyK_input (label EcoreNNN)",
    ROOT_ONLY,
  ],
  METER_POWER: [
    { domain: "board", unit: "W", behavior: "variable", agg: "sum" },
    "Power of the node, as its ACPI meter reports it: a mean over the time in the file " +
    "power1_average_interval",
    "power1_average (power_meter)",
  ],
  GRACE_POWER: [PACKAGE_W, "Power of a Grace socket: CPU and SysIO", "power1_average"],
  GRACE_CPU_POWER: [
    PACKAGE_W,
    "Power of the CPU cores (power supply line CPU), a part of the socket",
    "power1_average",
  ],
  GRACE_SYSIO_POWER: [
    PACKAGE_W,
    "Power of the input and output part (power supply line SysIO), a part of the socket",
    "power1_average",
  ],
  GRACE_MODULE_POWER: [PACKAGE_W, "Power of the module: GPU and Grace", "power1_average"],
  ZEN_CORE_POWER: [
    PACKAGE_W,
    "Power of the cores, as the driver zenpower reports it",
    "power1_input (SVI2_P_Core)",
  ],
  ZEN_SOC_POWER: [
    PACKAGE_W,
    "Power of the processor outside of the cores (SoC), as the driver zenpower reports it",
    "power2_input (SVI2_P_SoC)",
  ],
  XGENE_CPU_POWER: [
    PACKAGE_W,
    "Power of the cores, as the driver xgene-hwmon reports it",
    "power1_input (CPU power)",
  ],
  XGENE_IO_POWER: [
    PACKAGE_W,
    "Power of the rest of the chip, as the driver xgene-hwmon reports it",
    "power2_input (IO power)",
  ],
  PACKAGE_TEMPERATURE: [
    { domain: "package", ...CELSIUS },
    "Temperature of the package, as the drivers coretemp (sensor Package id N) or k10temp " +
    "(sensor Tctl) report it",
    "tempK_input",
  ],
  CORE_TEMPERATURE: [
    { domain: "core", ...CELSIUS },
    "Temperature of a core, as the driver coretemp reports it",
    "tempK_input (coretemp, Core N)",
  ],
};

const REMEDIES: readonly Remedy[] = [openForJob("/sys/class/hwmon/hwmon*/energy*_input")];

/** The reader of hwmon's files. */
export const hwmon: Reader = {
  name: "HWMON",
  about: "Sensors that the kernel has as hwmon devices: temperatures, power and energy.",
  remedies: REMEDIES,
  needs: {
    files: [`${DIR}/`, "/sys/devices/system/cpu/"],
    libraries: [],
    capabilities: ["CAP_DAC_READ_SEARCH"],
  },
  signals: Object.entries(ROWS).map(([name, [shape, about, source, quirks]]) => ({
    name: `HWMON::${name}`,
    ...shape,
    about,
    source: `${DIR}/hwmonN/${source}`,
    quirks,
  })),
  probe,
  open(host, wanted) {
    const { sources } = survey(host);
    return new TextReading(host, wanted, ({ name }) =>
      (sources.get(name) ?? []).map((source) => ({
        ...source,
        relocate: () =>
          survey(host).sources.get(name)?.find(({ instance }) => instance === source.instance)
            ?.path,
      })));
  },
};

function probe(host: Host): Offer {
  if (host.list(DIR).length === 0) return absent(`no chip in ${DIR}`);
  const { sources, notes } = survey(host);
  const rows = lookAt(hwmon.signals, (row) => {
    const found = sources.get(row.name) ?? [];
    if (found.length === 0) {
      const slow = row.name === "HWMON::METER_POWER" ? aemChip(host) : undefined;
      return slow ?? { kind: "absent", reason: `no such chip in ${DIR}` };
    }
    const access = host.probe(found[0].path);
    return access.ok ? offer(host, row, found[0].path) : access;
  });
  const offered = offerOrLack({ ...rows, notes }, "forbidden", "unusable");
  if (offered.ok || offered.kind !== "absent") return offered;
  return absent(notes.join("; ") || `no chip in ${DIR} measures energy or power`);
}

/** Why IBM's meter is no source, if there is one. */
function aemChip(host: Host): Absence | undefined {
  const chip = host.list(DIR).find((c) => /^aem[12]$/.test(nameOf(host, `${DIR}/${c}`)));
  if (chip === undefined) return undefined;
  return {
    kind: "unusable",
    reason: `${DIR}/${chip}: reading ibmaem blocks until the BMC answers`,
  };
}

function offer(host: Host, { unit }: SignalRow, source: string): Found {
  if (unit === "J") return { source, updatePeriodS: 0.1, resolution: MICRO };
  const interval = source.endsWith("/power1_average")
    ? Number(host.readText(`${source}_interval`) ?? NaN) * MILLI
    : NaN;
  if (!(interval > 0)) return { source };
  const note = `a mean over ${interval} s, renewed as often`;
  return { source, updatePeriodS: interval, note };
}

type Channels = Map<string, TextSource[]>;

/** All channels that feed a row, by the row's name; and what is left out, in words. */
function survey(host: Host): { sources: Channels; notes: string[] } {
  const sources: Channels = new Map();
  const notes: string[] = [];
  const numbers = host.list(DIR).sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
  const byName = Map.groupBy(numbers.map((chip) => `${DIR}/${chip}`), (dir) => nameOf(host, dir));
  for (const [name, dirs] of byName) {
    const labels = LABELS.get(name);
    if (name === "power_meter") notes.push(...powerMeters(host, dirs, sources));
    else if (name === "coretemp") dirs.forEach((dir) => coretemp(host, dir, sources));
    else if (labels !== undefined) byPackage(host, dirs, labels, sources);
    else {
      for (const dir of dirs) {
        if (!amdEnergy(host, dir, sources) && !KNOWN_ELSEWHERE.includes(name)) {
          notes.push(...unknownChip(host, dir, name));
        }
      }
    }
  }
  return { sources, notes };
}

/** Chips that other readers read, or of which we know why they are none. */
const KNOWN_ELSEWHERE = ["amdgpu", "i915", "xe", "aem1", "aem2"];

/** A chip of a name that we do not know: which energies and powers it has. */
function unknownChip(host: Host, dir: string, name: string): string[] {
  const files = host.list(dir).filter((file) => /^(energy|power)\d+_(input|average)$/.test(file));
  if (files.length === 0) return [];
  const label = (file: string) => text(host, `${dir}/${file.replace(/_.*/, "_label")}`) || file;
  return [
    `${dir} (${name || "no name"}) is not read: unknown chip with ${files.map(label).join(", ")}`,
  ];
}

function text(host: Host, path: string): string {
  return host.readText(path)?.trim() ?? "";
}

/** Older kernels keep the attributes in the device's folder. */
function nameOf(host: Host, dir: string): string {
  return text(host, `${dir}/name`) || text(host, `${dir}/device/name`);
}

/** Adds a channel unless its row's domain has no such instance. */
function add(host: Host, found: Channels, name: string, channel: TextSource): void {
  const row = hwmon.signals.find((r) => r.name === `HWMON::${name}`)!;
  const mostW = row.domain === "board" ? FALLBACK_W.node : FALLBACK_W.part;
  const source = row.unit === "W" ? { ...channel, mostW } : channel;
  if (!(source.instance >= 0 && source.instance < host.topology.count(row.domain))) return;
  const list = found.get(row.name) ?? [];
  // Two chips may report the same temperature; energies and powers of one instance never repeat.
  if (list.some((s) => s.instance === source.instance)) return;
  found.set(row.name, [...list, source]);
}

function channels(host: Host, dir: string, kind: string): { path: string; label: string }[] {
  return host.list(dir).flatMap((file) => {
    const match = new RegExp(`^(${kind}\\d+)_input$`).exec(file);
    if (match === null) return [];
    return [{ path: `${dir}/${file}`, label: text(host, `${dir}/${match[1]}_label`) }];
  });
}

/** Labels as of amd_energy, whatever the driver calls the chip. @returns Has it any? */
function amdEnergy(host: Host, dir: string, found: Channels): boolean {
  let isOne = false;
  for (const { path, label } of channels(host, dir, "energy")) {
    const match = /^E(core|socket)(\d+)$/.exec(label);
    if (match === null) continue;
    isOne = true;
    const name = match[1] === "core" ? "AMD_CORE_ENERGY" : "AMD_SOCKET_ENERGY";
    const stallAfterS = match[1] === "core" ? undefined : 10;
    const counter = energyCounter(host, { stallAfterS });
    add(host, found, name, { path, scale: MICRO, instance: Number(match[2]), counter });
  }
  return isOne;
}

function coretemp(host: Host, dir: string, found: Channels): void {
  const temperatures = channels(host, dir, "temp");
  const id = temperatures.map((t) => /^(?:Package|Physical) id (\d+)$/.exec(t.label)?.[1])
    .find((id) => id !== undefined);
  const pkg = host.topology.packageOfId(Number(id ?? 0));
  for (const { path, label } of temperatures) {
    const core = /^Core (\d+)$/.exec(label)?.[1];
    const reading = { path, scale: MILLI, signed: true };
    if (core !== undefined) {
      const instance = host.topology.coreOfId(pkg, Number(core));
      add(host, found, "CORE_TEMPERATURE", { ...reading, instance });
    } else if (/^(Package|Physical) id /.test(label)) {
      add(host, found, "PACKAGE_TEMPERATURE", { ...reading, instance: pkg });
    }
  }
}

/** Rows by label, of chips that come one or several for each package, in order. */
const LABELS = new Map([
  ["k10temp", new Map([["Tctl", "PACKAGE_TEMPERATURE"]])],
  [
    "zenpower",
    new Map([
      ["SVI2_P_Core", "ZEN_CORE_POWER"],
      ["SVI2_P_SoC", "ZEN_SOC_POWER"],
      ["Tctl", "PACKAGE_TEMPERATURE"],
    ]),
  ],
  ["apm_xgene", new Map([["CPU power", "XGENE_CPU_POWER"], ["IO power", "XGENE_IO_POWER"]])],
]);

/** A chip for each package, or for each die of it, in the order of their places on the PCI bus. */
function byPackage(
  host: Host,
  chips: readonly string[],
  labels: ReadonlyMap<string, string>,
  found: Channels,
): void {
  const each = Math.max(1, chips.length / host.topology.count("package"));
  // Chips that do not divide among the packages belong to unknown ones.
  if (!Number.isInteger(each)) return;
  const ordered = chips.map((dir) => ({ dir, pci: pciAddress(host, dir) }))
    .sort((a, b) => a.pci < b.pci ? -1 : a.pci > b.pci ? 1 : 0);
  for (const [i, { dir }] of ordered.entries()) {
    const instance = Math.floor(i / each);
    for (const kind of ["temp", "power"]) {
      for (const { path, label } of channels(host, dir, kind)) {
        const name = labels.get(label);
        if (name === undefined) continue;
        const scale = kind === "temp" ? MILLI : MICRO;
        add(host, found, name, { path, scale, instance, signed: kind === "temp" });
      }
    }
  }
}

/** Address of the device behind a chip, which sorts as text; "" if no link names it. */
function pciAddress(host: Host, dir: string): string {
  const links = [host.readLink(dir), host.readLink(`${dir}/device`)].join("/");
  return links.match(/[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]/g)?.at(-1) ?? "";
}

const GRACE: Record<string, string> = {
  Grace: "GRACE_POWER",
  CPU: "GRACE_CPU_POWER",
  SysIO: "GRACE_SYSIO_POWER",
  Module: "GRACE_MODULE_POWER",
};

/**
 * ACPI meters: Grace names its rails, any other one is the node's, and only one can be that.
 *
 * @returns Why some are not read.
 */
function powerMeters(host: Host, dirs: readonly string[], found: Channels): string[] {
  const plain: string[] = [];
  for (const dir of dirs) {
    // Older kernels keep the attributes in the device's folder.
    const at = [dir, `${dir}/device`].find((d) => host.list(d).includes("power1_average"));
    if (at === undefined || text(host, `${at}/power1_is_battery`) === "1") continue;
    const path = `${at}/power1_average`;
    const rail = /^(Grace|CPU|SysIO|Module) Power Socket (\d+)$/.exec(
      text(host, `${at}/power1_oem_info`),
    );
    if (rail === null) plain.push(path);
    else add(host, found, GRACE[rail[1]], { path, scale: MICRO, instance: Number(rail[2]) });
  }
  if (plain.length === 1) {
    add(host, found, "METER_POWER", { path: plain[0], scale: MICRO, instance: 0 });
  }
  return plain.length < 2 ? [] : [
    `${plain.length} ACPI meters (${
      plain.join(", ")
    }) are not read: which one measures the node is unknown`,
  ];
}
