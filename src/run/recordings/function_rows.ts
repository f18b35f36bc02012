/**
 * Functions in a recording, a JSON array a line: `functions.jsonl` grows during the run, `function-names.jsonl`
 * is written at its end. docs/reference/formats/recording.md.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import type { ByteSink } from "../../formats/trace/header.ts";
import { LineSplitter } from "../../formats/line_splitter.ts";
import { isMissing, UserFile } from "../../os/user_file.ts";
import {
  fileName,
  type Frame,
  type FunctionData,
  type FunctionModule,
  GUESSED,
} from "../../profile/function_data.ts";
import { CodeBiases } from "../../profile/code_biases.ts";
import type { Modules } from "../../profile/modules.ts";
import { FRAME, type Profile, type SampleSeen, type StackCost } from "../../profile/profile.ts";
import { noFacts, type ProfileFacts } from "../../profile/profile_facts.ts";
import type { SamplingEvent } from "../../profile/records.ts";
import { StackTrie } from "../../profile/stack_trie.ts";

/** Files in the directory of a recording: one that grows, and what is known at the end. */
export const FUNCTIONS_FILE = "functions.jsonl", NAMES_FILE = "function-names.jsonl";
const FORMAT = "joulemark-functions/1";
const LINE_MOST = 1 << 20;
const CHUNK_BYTES = 1 << 18;
const NOT_NAMED = "[not named]";

/** Is the address of such a frame the number of a name? */
function hasName(module: number): boolean {
  return module === FRAME.process || module === FRAME.region;
}

/** A file with code that could not be read. */
export interface UnreadFile {
  readonly path: string;
  readonly reason: string;
  readonly samples: number;
}

/** Rings of threads that sample themselves. */
export interface TimerFacts {
  readonly found: number;
  /** Rings that are not read for lack of descriptors. */
  readonly unread: number;
  /** A program took the signal of the timers, or restricted its own rights. */
  readonly isStopped: boolean;
}

/** Sources of notes other than counts of samples. */
export interface NoteSources {
  readonly stackBytes: number;
  /** CPU time on CPUs without samples, ns. */
  readonly elsewhereNs: number;
  /** Processes of the launch that other runs started. */
  readonly others: number;
  /** Files with most samples first. */
  readonly unread: readonly UnreadFile[];
  /** Length of the command's begin without samples, ns. @default 0 */
  readonly missedNs?: number;
  /** Had samples no room to wait for the annotations of their time? @default false */
  readonly wasFull?: boolean;
  /** Files with debug information that cannot be read. */
  readonly withoutLines?: readonly UnreadLines[];
  /** Absent if the kernel samples. */
  readonly timers?: TimerFacts;
}

/** A file without lines, although it has debug information. */
export type UnreadLines = Pick<UnreadFile, "path" | "reason">;

/** Rate and source of the samples. */
export interface RecordedRate {
  readonly hz: number;
  readonly periodNs: number;
  /** Time of the run's zero by the samples' clock. */
  readonly zeroNs: number;
  readonly event: SamplingEvent;
}

/** Writes what was sampled, when it is known: only whole lines, and only more of them. */
export class FunctionRowsWriter {
  readonly #sink: ByteSink;
  #lines = "";
  #nodes = 1;
  #modules = 0;
  #names = 0;
  #biases = 0;

  constructor(sink: ByteSink, { hz, periodNs, zeroNs, event }: RecordedRate) {
    this.#sink = sink;
    this.#row(FORMAT, hz, periodNs, zeroNs, event);
  }

  /** A sample, and the frames of its stack that are new. */
  sample(
    profile: Profile,
    biases: CodeBiases,
    { timeNs, cpu, process, thread, name, node }: Readonly<SampleSeen>,
  ): void {
    const { trie, modules } = profile, { names } = profile.processes;
    for (; this.#names < names.length; this.#names++) {
      this.#row("thread-name", this.#names, names[this.#names]);
    }
    for (; this.#modules < modules.all.length; this.#modules++) {
      const { path, buildId } = modules.all[this.#modules];
      this.#row("module", this.#modules, path, buildId);
    }
    this.#stacks(trie, names, modules);
    for (; this.#biases < biases.all.length; this.#biases++) {
      this.#row("bias", ...biases.all[this.#biases]);
    }
    this.#row("sample", timeNs, cpu, process, thread, node, name);
  }

  #stacks(trie: StackTrie, names: readonly string[], modules?: Modules): void {
    for (; this.#nodes < trie.count; this.#nodes++) {
      const node = this.#nodes, module = trie.module(node), address = trie.address(node);
      // Without names a function is the one that begins there.
      const start = module < 0 ? undefined : modules?.fde(module >> 1, address)?.start;
      const about = hasName(module) ? names[address] : start;
      this.#row("stack", node, trie.parent(node), module, address, ...about ? [about] : []);
    }
  }

  /** Hands what was gathered to the file. */
  flush(): void {
    if (this.#lines !== "") this.#sink.write(this.#lines);
    this.#lines = "";
  }

  /** All is known: times, names and modules. @returns Lines of the other file. */
  finish(data: FunctionData, names: readonly string[], about: NoteSources): string {
    const { trie, costs, modules, facts, durationNs } = data;
    this.#stacks(trie, names);
    modules.forEach(({ path, buildId, isWithoutTable }, i) => {
      this.#row("module", i, path, buildId, isWithoutTable);
    });
    const named = new Set<string>();
    for (let node = 1; node < trie.count; node++) {
      const module = trie.module(node), address = trie.address(node), key = `${module} ${address}`;
      if (named.has(key)) continue;
      named.add(key);
      const frames = data.frames(module, address).map((frame) => {
        const { name, suffix, module, address, start, file = "", line = 0 } = frame;
        return [name, suffix, module, address, start, file, line];
      });
      this.#row("name", module, address, frames);
    }
    for (const { node, ns, samples, briefNs } of costs) {
      this.#row("cost", node, ns, samples, briefNs);
    }
    for (const { node, ns, samples } of data.off) this.#row("off", node, ns, samples);
    this.#row("end", durationNs, facts, about);
    return this.#lines;
  }

  #row(...values: unknown[]): void {
    this.#lines += JSON.stringify(values) + "\n";
  }
}

/** Functions of a recording, and its samples. */
export interface RecordedFunctions extends FunctionData {
  readonly samples: readonly SampleSeen[];
  readonly biases: CodeBiases;
  /** Time of the run's zero by the samples' clock; NaN: not known. */
  readonly zeroNs: number;
  /** False if it was truncated: times and names are missing. */
  readonly isWhole: boolean;
  /** Absent: the recording does not have them. */
  readonly about: NoteSources | undefined;
}

/**
 * Reads the functions of a recording; `undefined`: it has none. One that was cut has the samples up to there,
 * without names, each for one period.
 *
 * @throws {FormatError} If a row is wrong.
 */
export function readFunctions(directory: string): RecordedFunctions | undefined {
  const rows = new FunctionRows(`${directory}/${FUNCTIONS_FILE}`);
  if (!readLines(rows)) return undefined;
  rows.path = `${directory}/${NAMES_FILE}`;
  readLines(rows);
  return rows.finish();
}

/** @returns False: there is no such file. */
function readLines(rows: FunctionRows): boolean {
  const { path } = rows;
  let opened: UserFile;
  try {
    opened = UserFile.found(path);
  } catch (error) {
    if (isMissing(error)) return false;
    throw new FormatError(path, 0, { action: "open", found: (error as Error).message });
  }
  using file = opened;
  const lines = new LineSplitter(LINE_MOST, (bytes, start, end) => {
    rows.take(new TextDecoder().decode(bytes.subarray(start, end)), lines.line);
  }, () => rows.wrong(lines.line, "a line of 1 MB at most"));
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let n = file.readSync(chunk); n !== null; n = file.readSync(chunk)) {
    lines.push(chunk.subarray(0, n));
  }
  return true;
}

class FunctionRows {
  path: string;
  #isBegun = false;
  readonly #trie = new StackTrie();
  readonly #names = new Map<string, readonly Frame[]>();
  readonly #processes = new Map<number, string>();
  /** Start of the function of a frame. */
  readonly #starts = new Map<string, number>();
  readonly #modules: FunctionModule[] = [];
  readonly #costs: StackCost[] = [];
  readonly #off: StackCost[] = [];
  readonly #samples: SampleSeen[] = [];
  readonly #biases = new CodeBiases();
  #rate: RecordedRate = { hz: NaN, periodNs: NaN, zeroNs: NaN, event: "cpu-clock" };
  #end: { durationNs: number; facts: ProfileFacts; about?: NoteSources } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  take(text: string, line: number): void {
    const [kind, ...values] = this.#parsed(text, line);
    if (!this.#isBegun && kind !== FORMAT) this.wrong(line, FORMAT);
    this.#isBegun = true;
    const numbers = values.map(Number);
    const checked = (count: number) => {
      const isWrong = numbers.length < count ||
        numbers.slice(0, count).some((n) => !Number.isFinite(n));
      return isWrong ? this.wrong(line, `${count} numbers of a ${kind}`) : numbers;
    };
    switch (kind) {
      case FORMAT: {
        const [hz, periodNs, zeroNs = NaN] = checked(2);
        // Older recordings have no event.
        const event = values[3] === "timer" ? "timer" : "cpu-clock";
        this.#rate = { hz, periodNs, zeroNs, event };
        break;
      }
      case "stack": {
        const [node, parent, module, address] = checked(4);
        if (parent >= this.#trie.count || this.#trie.child(parent, module, address) !== node) {
          this.wrong(line, "stacks in the order of their numbers");
        }
        const [, , , , about] = values;
        if (hasName(module)) this.#processes.set(address, String(about));
        else this.#starts.set(`${module} ${address}`, Number(about ?? NaN));
        break;
      }
      case "sample": {
        const [timeNs, cpu, process, thread, node, name = -1] = checked(5);
        this.#samples.push({ timeNs, cpu, process, thread, name, node: this.#node(node, line) });
        break;
      }
      case "bias": {
        const [process, module, bias] = checked(3);
        this.#biases.set(process, module, bias);
        break;
      }
      case "thread-name":
        this.#processes.set(numbers[0], String(values[1]));
        break;
      case "module": {
        const [, path, buildId, isWithoutTable] = values;
        this.#modules[numbers[0]] = {
          path: String(path),
          buildId: String(buildId),
          isWithoutTable: isWithoutTable === true,
        };
        break;
      }
      case "name": {
        const [module, address] = checked(2), [, , frames] = values;
        if (!Array.isArray(frames)) this.wrong(line, "frames of a name");
        else this.#names.set(`${module} ${address}`, frames.map(frameOf));
        break;
      }
      case "cost": {
        const [node, ns, samples, briefNs] = checked(4);
        this.#costs.push({ node: this.#node(node, line), ns, samples, briefNs });
        break;
      }
      case "off": {
        const [node, ns, samples] = checked(3);
        this.#off.push({ node: this.#node(node, line), ns, samples, briefNs: 0 });
        break;
      }
      case "end":
        this.#end = {
          durationNs: numbers[0],
          facts: values[1] as ProfileFacts,
          about: this.#about(values, line),
        };
    }
  }

  /** Sources of notes in the last row; older recordings have none. */
  #about([, facts, about]: readonly unknown[], line: number): NoteSources | undefined {
    if (about === undefined) return undefined;
    const { unread, withoutLines = [] } = Object(about) as NoteSources;
    const { unseen } = Object(facts) as ProfileFacts;
    const isRight = Array.isArray(unseen) && [unread, withoutLines].every((files) => {
      return Array.isArray(files) && files.every((file) => typeof Object(file).path === "string");
    });
    return isRight ? about as NoteSources : this.wrong(line, "sources of notes");
  }

  #parsed(text: string, line: number): unknown[] {
    let row: unknown;
    try {
      row = JSON.parse(text);
    } catch {
      this.wrong(line, "a JSON array");
    }
    return Array.isArray(row) ? row : this.wrong(line, "a JSON array");
  }

  #node(node: number, line: number): number {
    return node < this.#trie.count ? node : this.wrong(line, "a stack that is known");
  }

  wrong(line: number, expected: string): never {
    throw new FormatError(this.path, line, { action: "read functions", expected });
  }

  finish(): RecordedFunctions {
    const { hz, periodNs, zeroNs, event } = this.#rate, samples = this.#samples;
    const names = this.#names, last = samples.at(-1)?.timeNs ?? 0;
    const end = this.#end ??
      { durationNs: last - (samples[0]?.timeNs ?? 0), facts: factsOf(samples, periodNs) };
    return {
      event,
      hz,
      periodNs,
      zeroNs,
      samples,
      biases: this.#biases,
      trie: this.#trie,
      modules: this.#modules,
      durationNs: end.durationNs,
      facts: end.facts,
      off: this.#off,
      costs: this.#end === undefined ? costsOf(samples, periodNs) : this.#costs,
      isWhole: this.#end !== undefined,
      about: this.#end?.about,
      frames: (module, address) => {
        return names.get(`${module} ${address}`) ?? [this.#unnamed(module, address)];
      },
    };
  }

  /** A frame of a truncated recording. */
  #unnamed(key: number, address: number): Frame {
    const none = { suffix: "", module: -1, address: 0, start: 0 };
    if (hasName(key)) {
      return Object.assign(none, { name: this.#processes.get(address) ?? "?" });
    }
    const module = key >> 1, path = this.#modules[module]?.path ?? "";
    const start = this.#starts.get(`${key} ${address}`) ?? NaN;
    if (key < 0 || path === "") return Object.assign(none, { name: NOT_NAMED });
    const place = Number.isNaN(start) ? "" : `+0x${start.toString(16)}`;
    const name = `[${fileName({ path })}${place}]`, suffix = key % 2 === 1 ? GUESSED : "";
    return { name, suffix, module, address, start: start || 0 };
  }
}

function frameOf(row: unknown): Frame {
  const [name, suffix, module, address, start, file, line] = Array.isArray(row) ? row : [];
  const frame = {
    name: String(name),
    suffix: String(suffix),
    module: Number(module),
    address: Number(address),
    start: Number(start),
  };
  return Number(line) > 0
    ? Object.assign(frame, { file: String(file), line: Number(line) })
    : frame;
}

function costsOf(samples: readonly SampleSeen[], periodNs: number): StackCost[] {
  const costs = new Map<number, StackCost>();
  for (const { node } of samples) {
    const cost = costs.getOrInsertComputed(node, () => ({ node, ns: 0, samples: 0, briefNs: 0 }));
    cost.ns += periodNs;
    cost.samples++;
  }
  return [...costs.values()];
}

function factsOf(samples: readonly SampleSeen[], periodNs: number): ProfileFacts {
  const { length } = samples;
  return Object.assign(noFacts(), { samples: length, cpuNs: length * periodNs });
}
