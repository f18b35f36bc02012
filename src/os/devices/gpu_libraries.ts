/**
 * GPU libraries, each in a process of its own if this program can start itself once more
 * (library_helper.ts); in this process if it cannot.
 * @module
 */
import type { FoundLibrary, NotOpen } from "./library.ts";
import { HELPER, LibraryHelper, type Served, serveLibrary } from "./library_helper.ts";
import { findNvml, loadNvml, type Nvml, type NvmlDevice, type NvmlQuery } from "./nvml.ts";
import { NVML, NVML_QUERIES, nvmlText, type OpenedNvml } from "./nvml.ts";
import { findRocm, loadRocm, type OpenedRocm, type Rocm, type RocmDevice } from "./rocm_smi.ts";
import { ROCM_QUERIES, type RocmQuery, rocmText } from "./rocm_smi.ts";
import { canStartItself } from "../self.ts";

/** A helper's facts about an open library. */
interface NvmlFacts extends Pick<Nvml, "path" | "driverVersion"> {
  readonly ok: true;
  readonly devices: readonly Omit<NvmlDevice, "handle">[];
}

interface RocmFacts extends Pick<Rocm, "path"> {
  readonly ok: true;
  /** GPUs of the library, as JSON has them: 0 stands for NaN, which JSON cannot hold. */
  readonly devices: readonly RocmDevice[];
}

let nvml: OpenedNvml | undefined;
let rocm: OpenedRocm | undefined;

/** Opens NVML once and keeps the answer: later calls need no permission. */
export function openNvml(): OpenedNvml {
  return nvml ??= helped("nvml", findNvml(), loadNvml, (facts: NvmlFacts, helper) => {
    const devices = facts.devices.map((device, i) => ({ ...device, handle: BigInt(i) }));
    const library = new Helped<bigint, NvmlQuery>(helper, {
      queries: NVML_QUERIES,
      text: nvmlText,
      gone: NVML.GPU_IS_LOST,
    });
    return { ok: true, library: Object.assign(library, { ...facts, devices }) };
  });
}

/** Opens ROCm SMI, through its helper. */
export function openRocm(): OpenedRocm {
  return rocm ??= helped("rocm", findRocm(), loadRocm, ({ path, devices }: RocmFacts, helper) => {
    const library = new Helped<number, RocmQuery>(helper, {
      queries: ROCM_QUERIES,
      text: rocmText,
      gone: HELPER.GONE,
    });
    const named = devices.map((device) => ({ ...device, energyUnit: device.energyUnit || NaN }));
    return { ok: true, library: Object.assign(library, { path, devices: named }) };
  });
}

/** Opens a library in a process of its own, if this program can start itself. */
function helped<Facts extends { readonly ok: true }, Opened>(
  kind: string,
  found: FoundLibrary,
  load: () => Opened,
  take: (facts: Facts, helper: LibraryHelper) => Opened,
): Opened | NotOpen {
  if (!found.ok || !canStartItself()) return load();
  const opened = LibraryHelper.open<Facts | NotOpen>(kind);
  if (typeof opened === "string") {
    return { ok: false, kind: "unusable", reason: `${found.path}: ${opened}` };
  }
  const { facts, helper } = opened;
  return facts.ok ? take(facts, helper) : facts;
}

/** A query's number is its place; both sides are this program. */
interface Words<Query> {
  readonly queries: readonly Query[];
  text(status: number): string;
  /** The library's own status of a GPU that is gone for good. */
  readonly gone: number;
}

/** A library in its own process. A device's handle is its number. */
class Helped<Handle extends bigint | number, Query> implements Disposable {
  low = 0;
  high = 0;
  readonly #helper: LibraryHelper;
  readonly #words: Words<Query>;

  constructor(helper: LibraryHelper, words: Words<Query>) {
    [this.#helper, this.#words] = [helper, words];
  }

  query(name: Query): (handle: Handle) => number {
    const query = this.#words.queries.indexOf(name);
    return (handle) => {
      const status = this.#helper.look(query, Number(handle));
      this.low = this.#helper.low;
      this.high = this.#helper.high;
      return status;
    };
  }

  refresh(): void {
    this.#helper.refresh();
  }

  text(status: number): string {
    return this.#words.text(status);
  }

  isGone(status: number): boolean {
    return status === HELPER.GONE || status === this.#words.gone;
  }

  [Symbol.dispose](): void {
    this.#helper[Symbol.dispose]();
  }
}

/**
 * The helper's process.
 *
 * @param args Which library, and the number of its descriptor.
 * @returns Exit status.
 */
export function gpuLibraryHelper([kind, fd]: readonly string[]): number {
  serveLibrary(Number(fd), kind === "nvml" ? serveNvml : serveRocm);
  return 0;
}

function serveNvml(): Served {
  const opened = loadNvml();
  if (!opened.ok) return { facts: opened, ...NOTHING };
  const { library } = opened;
  const { path, driverVersion } = library;
  const handles = library.devices.map(({ handle }) => handle);
  const calls = NVML_QUERIES.map((name) => library.query(name));
  const devices = library.devices.map(({ handle: _, ...rest }) => rest);
  return {
    facts: { ok: true, path, driverVersion, devices } satisfies NvmlFacts,
    look: (query, device) => calls[query](handles[device]),
    halves: library,
  };
}

function serveRocm(): Served {
  const opened = loadRocm();
  if (!opened.ok) return { facts: opened, ...NOTHING };
  const { library } = opened;
  const calls = ROCM_QUERIES.map((name) => library.query(name));
  const devices = library.devices.map((device) => ({
    ...device,
    energyUnit: device.energyUnit > 0 ? device.energyUnit : 0,
  }));
  return {
    facts: { ok: true, path: library.path, devices } satisfies RocmFacts,
    look: (query, device) => calls[query](library.devices[device].index),
    halves: library,
  };
}

/** A library that could not be opened is never called. */
const NOTHING = { look: () => HELPER.GONE, halves: { low: 0, high: 0 } };
