/**
 * The node's domains as Linux describes them in sysfs, with /proc/cpuinfo as the second choice.
 *
 * Truth: Documentation/admin-guide/cputopology.rst, Documentation/ABI/stable/sysfs-devices-node.
 * Packages are numbered in the order of `physical_package_id`, cores over the whole node in the
 * order of their lowest CPU: with hyperthreads last that is core = c mod (packages × cores), as
 * geopm::PlatformTopo(3) has it.
 * @module
 */
import { cpusOf } from "./cpu_list.ts";
import { type CpuPlace, PlatformTopology, type TopologySpec } from "./topology.ts";

/** Source of the topology; `Host` is one. */
export interface TopologyFiles {
  /** Names in a directory, empty when there is none. */
  list(path: string): string[];
  /** `undefined` when it cannot be read. */
  readText(path: string): string | undefined;
}

const CPU_DIR = "/sys/devices/system/cpu";
const NODE_DIR = "/sys/devices/system/node";
const DRM_DIR = "/sys/class/drm";
const CRAY_DIR = "/sys/cray/pm_counters";
const NVIDIA_DIR = "/proc/driver/nvidia/gpus";
/** PCI device numbers of AMD modules that show two devices to the driver: MI250X, MI250. */
const TWO_DIE_DEVICES = ["0x7408", "0x740c"];

interface RawPlace {
  package: number;
  die: number;
  core: number;
  /** The kernel's numbers, if it knows them. */
  packageId?: number;
  coreId?: number;
}

/** Reads the topology; if nothing at all is known, one package with one CPU. */
export function readTopology(fs: TopologyFiles): PlatformTopology {
  const raw = fromSysfs(fs) ?? fromCpuinfo(fs) ?? [{ package: 0, die: 0, core: 0 }];
  const places = number(raw);
  const spec: TopologySpec = { cpus: places, ...numa(fs, places) };
  return new PlatformTopology({ ...spec, ...gpus(fs, places) });
}

function cpuList(fs: TopologyFiles, path: string): number[] | undefined {
  return cpusOf(fs.readText(path));
}

function integer(text: string | undefined): number {
  const match = /^\s*(-?\d+)\s*$/.exec(text ?? "");
  return match === null ? NaN : Number(match[1]);
}

function fromSysfs(fs: TopologyFiles): (RawPlace | null)[] | undefined {
  const online = cpuList(fs, `${CPU_DIR}/online`) ??
    fs.list(CPU_DIR).flatMap((name) => /^cpu\d+$/.test(name) ? [Number(name.slice(3))] : []);
  const present = cpuList(fs, `${CPU_DIR}/present`) ?? cpuList(fs, `${CPU_DIR}/possible`) ?? online;
  // "possible" counts sockets that were never filled; "present" is what the node has.
  const highest = Math.max(-1, ...online, ...present);
  const places: (RawPlace | null)[] = Array.from({ length: highest + 1 }, () => null);
  const packageOf = shared(fs, "physical_package_id", "package_cpus_list");
  const dieOf = shared(fs, "die_id", "die_cpus_list");
  let known = 0;
  for (const cpu of online) {
    const pkg = packageOf(cpu), die = dieOf(cpu);
    const core = integer(fs.readText(`${CPU_DIR}/cpu${cpu}/topology/core_id`));
    if (Number.isNaN(pkg) && Number.isNaN(core)) continue;
    known++;
    // Some Arm and virtual machines answer −1 ("unknown"): one package, a core per CPU.
    places[cpu] = {
      package: pkg >= 0 ? pkg : 0,
      die: die >= 0 ? die : 0,
      core: core >= 0 ? core : cpu,
      ...(pkg >= 0 ? { packageId: pkg } : {}),
      ...(core >= 0 ? { coreId: core } : {}),
    };
  }
  return known === 0 ? undefined : places;
}

/** A number that many CPUs have: it is read once for all of them, if the kernel lists them (5.3). */
function shared(fs: TopologyFiles, name: string, listName: string): (cpu: number) => number {
  const known = new Map<number, number>();
  let isListed = true;
  return (cpu) => {
    const have = known.get(cpu);
    if (have !== undefined) return have;
    const dir = `${CPU_DIR}/cpu${cpu}/topology`;
    const value = integer(fs.readText(`${dir}/${name}`));
    const all = isListed ? cpuList(fs, `${dir}/${listName}`) : undefined;
    isListed = all !== undefined;
    for (const other of all ?? []) known.set(other, value);
    return value;
  };
}

function fromCpuinfo(fs: TopologyFiles): (RawPlace | null)[] | undefined {
  const text = fs.readText("/proc/cpuinfo");
  if (text === undefined) return undefined;
  const places: (RawPlace | null)[] = [];
  let cpu = -1;
  for (const line of text.split("\n")) {
    const match = /^([^:]*?)\s*:\s*(\d+)\s*$/.exec(line);
    if (match === null) continue;
    const value = Number(match[2]);
    if (match[1] === "processor" && value < 65536) {
      while (places.length < value) places.push(null);
      cpu = value;
      places[cpu] = { package: 0, die: 0, core: cpu };
    }
    const place = places[cpu];
    if (place === undefined || place === null) continue;
    if (match[1] === "physical id") place.package = value;
    else if (match[1] === "core id") place.core = value;
  }
  return places.length === 0 ? undefined : places;
}

/** Physical ids have gaps and restart at 0 in each package; ours are counted without gaps. */
function number(raw: readonly (RawPlace | null)[]): CpuPlace[] {
  const packages = [...new Set(raw.flatMap((p) => p === null ? [] : [p.package]))]
    .sort((a, b) => a - b);
  const cores = new Map<string, number>();
  return raw.map((place) => {
    if (place === null) return null;
    const key = `${place.package}/${place.die}/${place.core}`;
    const core = cores.getOrInsert(key, cores.size);
    const { packageId, coreId, die } = place;
    return { package: packages.indexOf(place.package), core, packageId, coreId, dieId: die };
  });
}

/** NUMA nodes with CPUs are `memory`, those without hang on the package of the nearest one. */
function numa(
  fs: TopologyFiles,
  places: readonly CpuPlace[],
): Pick<TopologySpec, "memory" | "packageIntegratedMemory"> {
  const ids = fs.list(NODE_DIR).flatMap((name) => /^node\d+$/.test(name) ? [name.slice(4)] : [])
    .map(Number).sort((a, b) => a - b);
  const memory: number[][] = [];
  const owners: number[] = [];
  const bare: number[] = [];
  for (const id of ids) {
    const cpus = cpuList(fs, `${NODE_DIR}/node${id}/cpulist`)?.filter((c) =>
      places[c] !== null && places[c] !== undefined
    );
    if (cpus === undefined) continue;
    if (cpus.length === 0) {
      bare.push(id);
      continue;
    }
    memory.push(cpus);
    owners.push(id);
  }
  if (memory.length === 0) return {};
  const integrated = bare.map((id) => {
    const distances = (fs.readText(`${NODE_DIR}/node${id}/distance`) ?? "").trim().split(/\s+/);
    let nearest = 0;
    owners.forEach((owner, k) => {
      const at = ids.indexOf(owner);
      const best = ids.indexOf(owners[nearest]);
      if (Number(distances[at]) < Number(distances[best])) nearest = k;
    });
    const pkg = places[memory[nearest][0]]!.package;
    return places.flatMap((place, cpu) => place !== null && place.package === pkg ? [cpu] : []);
  });
  return { memory, packageIntegratedMemory: integrated };
}

/** GPUs by their drivers' own lists; what has no driver is no domain. */
function gpus(
  fs: TopologyFiles,
  places: readonly CpuPlace[],
): Pick<TopologySpec, "gpu" | "gpuChip"> {
  const chips = gpuDevices(fs);
  if (chips.length === 0) return nvidiaGpus(fs, places);
  const local = chips.map((chip) => cpuList(fs, `${chip.dir}/local_cpulist`));
  const gpuChip = local.every((cpus) => cpus !== undefined && cpus.length > 0)
    ? share(local as number[][])
    : split(places, chips.length);
  const gpu: number[][] = [];
  chips.forEach((chip, i) => (gpu[chip.gpu] ??= []).push(...gpuChip[i]));
  return { gpu: gpu.map((cpus) => [...new Set(cpus)].sort((a, b) => a - b)), gpuChip };
}

/** GPUs that NVIDIA's driver lists by PCI address; in containers its device nodes may be all. */
export function nvidiaCount(fs: Pick<TopologyFiles, "list">): number {
  return fs.list(NVIDIA_DIR).length ||
    fs.list("/dev").filter((name) => /^nvidia\d+$/.test(name)).length;
}

/** Modules that the node's controller measures, though no driver shows their GPUs. */
function crayModules(fs: TopologyFiles): number {
  return fs.list(CRAY_DIR).filter((name) => /^accel\d*_energy$/.test(name)).length;
}

function nvidiaGpus(fs: TopologyFiles, places: readonly CpuPlace[]): Pick<TopologySpec, "gpu"> {
  const addresses = fs.list(NVIDIA_DIR);
  const count = nvidiaCount(fs) || crayModules(fs);
  if (count === 0) return {};
  const local = addresses.map((a) => cpuList(fs, `/sys/bus/pci/devices/${a}/local_cpulist`));
  const known = local.length > 0 && local.every((cpus) => cpus !== undefined && cpus.length > 0);
  return { gpu: known ? share(local as number[][]) : split(places, count) };
}

/** One device a GPU driver shows in DRM, in card order. */
export interface GpuDevice {
  /** `/sys/class/drm/cardN/device`. */
  readonly dir: string;
  readonly vendor: string;
  /** Second die of the module before it: it has no power meter of its own. */
  readonly secondDie: boolean;
  /** Number of its module. */
  readonly gpu: number;
}

/** AMD and Intel GPUs in DRM order; integrated graphics of a package is none of them. */
export function gpuDevices(fs: TopologyFiles): GpuDevice[] {
  const cards = fs.list(DRM_DIR).flatMap((name) => /^card\d+$/.test(name) ? [name] : [])
    .sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  const found: GpuDevice[] = [];
  let pending = "";
  let gpu = -1;
  for (const card of cards) {
    const dir = `${DRM_DIR}/${card}/device`;
    const vendor = fs.readText(`${dir}/vendor`)?.trim() ?? "";
    const device = fs.readText(`${dir}/device`)?.trim() ?? "";
    const discrete = vendor === "0x1002" || (vendor === "0x8086" && hasMeter(fs, dir));
    if (!discrete) continue;
    const secondDie = vendor === "0x1002" && TWO_DIE_DEVICES.includes(device) && pending === device;
    pending = secondDie ? "" : device;
    if (!secondDie) gpu++;
    found.push({ dir, vendor, secondDie, gpu });
  }
  return found;
}

function hasMeter(fs: TopologyFiles, dir: string): boolean {
  return fs.list(`${dir}/hwmon`).length > 0;
}

/** Devices of one place share its CPUs among themselves, in order. */
function share(local: readonly number[][]): number[][] {
  return local.map((cpus, i) => {
    const key = cpus.join();
    const mates = local.flatMap((other, k) => other.join() === key ? [k] : []);
    const each = Math.max(1, Math.floor(cpus.length / mates.length));
    const at = mates.indexOf(i) * each;
    return at + each <= cpus.length ? cpus.slice(at, at + each) : [...cpus];
  });
}

/** Splits the online CPUs evenly, package by package, among devices whose place is unknown. */
function split(places: readonly CpuPlace[], count: number): number[][] {
  const cpus = places.flatMap((place, cpu) => place === null ? [] : [{ cpu, place }])
    .sort((a, b) => a.place.package - b.place.package || a.place.core - b.place.core)
    .map((entry) => entry.cpu);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * cpus.length) / count);
    const to = Math.floor(((i + 1) * cpus.length) / count);
    return cpus.slice(from, to).sort((a, b) => a - b);
  });
}
