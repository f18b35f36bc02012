/**
 * An attribute to annotate with, as Caliper's `cali::Annotation`.
 *
 * ```ts
 * import { Annotation, Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace,recorder" });
 * const phase = new Annotation(channel, "phase");
 * {
 *   using _init = phase.begin("init"); // ends with the block
 * }
 * phase.set("loop");
 * phase.end();
 * ```
 * @module
 */

import type { Attribute } from "./attribute.ts";
import type { Given } from "./given.ts";
import type { AnnotationRuntime } from "./runtime.ts";

/**
 * One attribute to annotate with. The attribute is made by the first value, of its type, if there is none.
 *
 * @example
 * ```ts
 * import { Annotation, Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace" });
 * const iteration = new Annotation(channel, "iteration");
 * iteration.begin(7);
 * iteration.end();
 * ```
 */
export class Annotation {
  readonly #channel: AnnotationRuntime;
  readonly #attribute: Attribute | string;

  /** Marks a channel with an attribute, or one that is made by its name. @param attribute One that was made with type and properties, or a name. */
  constructor(channel: AnnotationRuntime, attribute: Attribute | string) {
    this.#channel = channel;
    this.#attribute = attribute;
  }

  /** Opens a value. @returns Dispose of it instead of calling `end`. */
  begin(value: Given = true): Disposable {
    this.#channel.begin(this.#attribute, value);
    return { [Symbol.dispose]: () => this.end() };
  }

  /** Replaces the innermost value, or opens one. */
  set(value: Given): void {
    this.#channel.set(this.#attribute, value);
  }

  /** Ends the innermost value. */
  end(): void {
    this.#channel.end(this.#attribute);
  }
}
