/**
 * A channel: the annotation runtime with services that take, measure and keep snapshots.
 *
 * ```ts
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace,recorder" }, {
 *   now: () => performance.now() * 1e6,
 *   globals: { "app.name": "demo" },
 * });
 * channel.beginRegion("main");
 * channel.endRegion("main");
 * console.log(channel.flush()); // a .cali stream
 * ```
 * @module
 */

import { Annotations } from "../annotations.ts";
import { wordsOf } from "../config_words.ts";
import type { Given } from "../given.ts";
import type { Machine } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Variant } from "../variant.ts";
import { missingServices, remarkOnService } from "../config/services.ts";
import { LIBRARY_SERVICES, OUTPUTS, REGISTERED, SERVICES } from "./all.ts";
import { CaliStream } from "./recorder.ts";

/** Parts that a channel needs in addition to its configuration. */
export interface ChannelOptions {
  /** Monotonic time in nanoseconds, for the timer service. @default a constant clock */
  now?: () => number;
  /** Run metadata, by name; a value with its type has that one. @default none */
  globals?: Record<string, Given | Variant>;
  /** Run metadata of the channel itself, which its snapshots do not have. @default none */
  channelGlobals?: Record<string, Given | Variant>;
  /** Takes each record of the trace at once, with its thread. @default kept until the flush */
  stream?: (record: Snapshot, thread: number) => void;
  /** The channel's name, in what it notes. @default "default" */
  name?: string;
  /** Services that are there in case they are needed: nothing is noted of them. @default none */
  unnoted?: readonly string[];
  /** Receives each line of the log at once. */
  onLog?: (line: string) => void;
  /** Source of the machine's quantities for services. @default none */
  machine?: Machine;
}

/** The Caliper whose streams ours are like. As a global it is in every record, so none is empty. */
const FORMAT_VERSION = "2.15.0-joulemark";

/** The interposition library's events, and the services that listen to them. */
const LIBRARY_ATTRIBUTES: readonly (readonly [prefix: string, services: readonly string[]])[] = [
  ["io.", ["io"]],
  ["omp.", ["ompt"]],
  ["alloc.", ["alloc", "allocstats", "sysalloc"]],
  ["mem.highwatermark", ["alloc", "allocstats", "sysalloc"]],
  ["callpath.", ["callpath"]],
];

/**
 * A channel of Caliper: its configuration's services over the marks of a program.
 *
 * @example
 * ```ts
 * import { Annotation, Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace" });
 * const phase = new Annotation(channel, "phase");
 * phase.begin("solve");
 * phase.end();
 * if (!channel.services.has("trace")) throw new Error("expected the service trace");
 * ```
 */
export class Channel extends Annotations {
  /** Names of the services that it has. */
  readonly services: ReadonlySet<string>;

  /**
   * Makes the services that the configuration names.
   *
   * @param config Caliper's variables: `CALI_SERVICES_ENABLE` and those of the services.
   * @param options Clock, run metadata, machine.
   */
  constructor(config: Record<string, string>, options: ChannelOptions = {}) {
    super(config, {
      ...options,
      now: options.now ?? (() => 0),
      globals: { "cali.caliper.version": FORMAT_VERSION, ...options.globals },
    });
    const wanted = wordsOf(config.CALI_SERVICES_ENABLE);
    this.services = new Set(wanted.filter((name) => {
      return SERVICES.has(name) || OUTPUTS.includes(name) || LIBRARY_SERVICES.includes(name);
    }));
    const made = new Set<unknown>();
    for (const [name, factory] of SERVICES) {
      if (!this.services.has(name) || made.has(factory)) continue;
      made.add(factory);
      this.addService(factory);
    }
    const noted = new Set<string>();
    for (const name of wanted) {
      if (!this.services.has(name)) {
        this.say(remarkOnService(name) ?? `Service "${name}" not found!`);
        continue;
      }
      const line = options.unnoted?.includes(name) ? undefined : REGISTERED.get(name);
      if (line !== undefined && !noted.has(line)) this.note(line);
      if (line !== undefined) noted.add(line);
    }
    if (wanted.length === 0) {
      const name = options.name ?? "default";
      this.note(`No services enabled, ${name} channel will not record data.`);
    }
    for (const text of missingServices(wanted)) this.note(text, false);
  }

  /** Are changes of this attribute for this channel? Those of libraries are, if a service requests them. */
  accepts(attribute: string): boolean {
    const service = LIBRARY_ATTRIBUTES.find(([prefix]) => attribute.startsWith(prefix));
    return service === undefined || service[1].some((name) => this.services.has(name));
  }

  /** The `.cali` stream of all that was kept; empty without the recorder service. */
  flush(): string {
    this.note("Flushing Caliper data");
    if (!this.services.has("recorder")) return "";
    const lines: string[] = [];
    const stream = new CaliStream(this.tree, (line) => lines.push(line));
    this.flushServices((record) => stream.record(record));
    stream.globals(this.globals());
    this.note(`Recorder: Wrote ${stream.written} records.`);
    return lines.join("");
  }
}
