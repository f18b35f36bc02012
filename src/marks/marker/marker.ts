/**
 * Marks the regions of a TypeScript program for joulemark, by the same ring as the C client.
 *
 * Run under `joulemark run -- deno run --allow-env --allow-ffi app.ts`. Without a monitor, or
 * without these permissions, every call does nothing; none throws, prints or prompts.
 * @module
 */
import { hintOnEntry, HINTS } from "../../core/hints.ts";
import type { RingWriter } from "./ring_writer.ts";
import { joinSession } from "./session_directory.ts";

/** Kind of resource that limits a region: names of geopm_prof(3). */
export type Hint = (typeof HINTS)[number];

/** A region that ends with its block. */
export interface MarkedRegion extends Disposable {
  /** Name of the region. */
  readonly name: string;
}

/**
 * The program's marks.
 *
 * Marks of the main program are the process's, by the rules of geopm_prof(3): a region inside a
 * region changes the hint, and the outer one goes on. Marks of a worker are its thread's own.
 * A pair costs a few microseconds: four system calls.
 *
 * @example
 * ```ts
 * const marker = Marker.attach();
 * for (let step = 0; step < 3; step++) {
 *   marker.epoch();
 *   using solve = marker.region("solve", "COMPUTE");
 * }
 * ```
 */
export class Marker implements Disposable {
  static #attached: Marker | undefined;
  #ring: RingWriter | undefined;

  private constructor(ring: RingWriter | undefined) {
    this.#ring = ring;
  }

  /**
   * Joins the run that JOULEMARK_SESSION names. The first call does it, later ones return the same
   * marker. Needs permission for that variable and for FFI with libc; does nothing without.
   */
  static attach(): Marker {
    if (Marker.#attached !== undefined) return Marker.#attached;
    let ring: RingWriter | undefined;
    try {
      ring = joinSession();
    } catch {
      // Nothing about marking is worth a word in the program's own output.
    }
    const marker = new Marker(ring);
    if (ring !== undefined) globalThis.addEventListener("unload", () => marker.shutdown());
    return Marker.#attached = marker;
  }

  /** Do marks go anywhere? */
  get active(): boolean {
    return this.#ring !== undefined;
  }

  /** Begins a region. The hint counts if the name is new. */
  begin(name: string, hint: Hint = "UNKNOWN"): void {
    const ring = this.#ring;
    if (ring !== undefined) ring.enter(ring.region(name, hintOnEntry(HINTS.indexOf(hint))));
  }

  /** Ends the region of this name that was begun last. */
  end(name: string): void {
    const ring = this.#ring;
    if (ring !== undefined) ring.exit(ring.region(name, hintOnEntry(-1)));
  }

  /** Begins a region that ends with the block: `using solve = marker.region("solve")`. */
  region(name: string, hint: Hint = "UNKNOWN"): MarkedRegion {
    this.begin(name, hint);
    let open = true;
    return {
      name,
      [Symbol.dispose]: () => {
        if (open) this.end(name);
        open = false;
      },
    };
  }

  /** A time step of the program's outer loop begins. */
  epoch(): void {
    this.#ring?.epoch();
  }

  /** Work units that the current region will do. */
  progressInit(units: number): void {
    this.#ring?.progress(units);
  }

  /** Reports that one unit of progress is done. */
  progressPost(): void {
    this.#ring?.progress();
  }

  /** Seconds that the program spent on marking by other means. */
  overhead(seconds: number): void {
    this.#ring?.overhead(seconds);
  }

  /** The program ends in good order; marks do nothing from here on. Comes by itself at exit. */
  shutdown(): void {
    const ring = this.#ring;
    this.#ring = undefined;
    ring?.close();
  }

  /** Ends the marks of this process. */
  [Symbol.dispose](): void {
    this.shutdown();
  }
}
