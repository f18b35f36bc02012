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

import type { Given } from "../given.ts";
import { AnnotationRuntime } from "../runtime.ts";
import { SERVICES } from "./all.ts";
import { recordStream } from "./recorder.ts";

export interface ChannelOptions {
  /** Monotonic time in nanoseconds, for the timer service. @default a clock that stands still */
  now?: () => number;
  /** Run metadata, by name. @default none */
  globals?: Record<string, Given>;
}

/** The Caliper whose streams ours are like. As a global it is in every record, so none is empty. */
const FORMAT_VERSION = "2.15.0-joulemark";

export class Channel extends AnnotationRuntime {
  readonly #records: boolean;

  /**
   * @param config Caliper's variables: `CALI_SERVICES_ENABLE` and those of the services.
   * @param options Clock and run metadata.
   */
  constructor(config: Record<string, string>, options: ChannelOptions = {}) {
    super(config, {
      now: options.now ?? (() => 0),
      globals: { "cali.caliper.version": FORMAT_VERSION, ...options.globals },
    });
    const wanted = (config.CALI_SERVICES_ENABLE ?? "").split(/[,:]/)
      .map((name) => name.trim()).filter((name) => name !== "");
    this.#records = wanted.includes("recorder");
    const made = new Set<unknown>();
    for (const [name, factory] of SERVICES) {
      if (!wanted.includes(name) || made.has(factory)) continue;
      made.add(factory);
      this.addService(factory);
    }
    for (const name of wanted) {
      if (name !== "recorder" && !SERVICES.has(name)) this.say(`Service "${name}" not found!`);
    }
  }

  /** The `.cali` stream of all that was kept; empty without the recorder service. */
  flush(): string {
    if (!this.#records) return "";
    return recordStream(this.tree, (emit) => this.flushServices(emit), this.globals());
  }
}
