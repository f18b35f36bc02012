/**
 * Threads of a run and their numbers in channels: from the marks of the ring to begin, set and end
 * of attributes.
 *
 * A region is Caliper's `region`, unless an attribute event with the bit `enterFollows` came right
 * before it (`loop`, `phase`, `comm.region`): then it has that attribute. Calls of libraries
 * (`MPI_Send`, `[OMPT]…`) are received by channels whose services request them. docs/reference/formats/ring.md.
 * @module
 */
import { PROPERTY } from "../model/attribute.ts";
import type { PathStep } from "../model/path_step.ts";
import type { FoldedVisits, SampledCode } from "../model/service.ts";
import type { Channel } from "../model/services/channel.ts";
import { ITERATION_MARK } from "../model/services/iterations.ts";
import { OMPT_PREFIX } from "../model/services/ompt.ts";
import { TYPE_NAMES } from "../model/variant.ts";
import type { AttributeEvent } from "../../core/events/event.ts";
import {
  LAYOUT_NAME,
  METADATA_NAME,
  PROPERTY as RING_PROPERTY,
  SNAPSHOT_NAME,
} from "../../core/events/ring_layout.ts";

/** Attributes of loops' iterations: CALI_MARK_LOOP_BEGIN. */
const ITERATION_PREFIX = "iteration#";
/** Value of `SNAPSHOT_NAME`. */
const TIMED = 1;
const ENTER_FOLLOWS = RING_PROPERTY.enterFollows;

/** Kind of begin call that opened a region. */
type Opened = "region" | "attribute" | "library";

interface OpenRegion {
  name: string;
  /** Handle of its track; 0: the program's own. */
  track: number;
  by: Opened;
  attribute?: string;
}

/** One thread of a run, in all channels. */
export class RunThread {
  /** All of its visits are folded by path. */
  folds = false;
  #place: readonly PathStep[] = [];
  readonly #open: OpenRegion[] = [];
  /** Visits by path that came folded, beside others in order. */
  readonly #folded = new Map<number, { count: number; ns: number }>();
  /** The attribute, begun just now, of the next region. */
  #follows: string | undefined;
  /** The attribute of a region that ended just now: its own end is to follow. */
  #due: string | undefined;
  /** Values of the next snapshot. */
  readonly #pushed: AttributeEvent[] = [];

  /** @param numbers Its number in each channel. */
  constructor(readonly numbers: readonly number[]) {}

  enter(channels: readonly Channel[], name: string, track: number): void {
    this.#endDue(channels);
    const attribute = this.#follows;
    const by = attribute !== undefined ? "attribute" : isLibrary(name) ? "library" : "region";
    this.#follows = undefined;
    const open: OpenRegion = { name, track, by, attribute };
    this.#open.push(open);
    this.#mark(channels, "begin", open);
  }

  /**
   * Ends the region that `RegionTracker` ends. A channel has one stack: those of other tracks that were
   * begun later end before it, and begin again.
   *
   * @returns False if it ends none: then nothing changes.
   */
  exit(channels: readonly Channel[], name: string, track: number): boolean {
    this.#endDue(channels);
    const level = this.#open.findLastIndex((open) =>
      open.track === track && (track === 0 || open.name === name)
    );
    if (level < 0 || (level === 0 && this.#open[0].name !== name)) return false;
    const [ended, ...later] = this.#open.splice(level);
    for (const open of later.toReversed()) this.#mark(channels, "end", open);
    this.#due = ended.attribute;
    this.#mark(channels, "end", ended);
    for (const open of later) {
      this.#mark(channels, "begin", open);
      this.#open.push(open);
    }
    return true;
  }

  #mark(channels: readonly Channel[], what: "begin" | "end", { name, by }: OpenRegion): void {
    if (by === "attribute") return;
    this.#each(channels, (channel) => {
      if (by === "library") channel.libraryRegion(what, name);
      else if (what === "begin") channel.beginRegion(name);
      else channel.endRegion(name);
    });
  }

  /** Folded visits wait for the thread's next event: they have the time of the first of them. */
  addFolded(path: number, count: number, selfNs: number): void {
    const known = this.#folded.get(path);
    if (known !== undefined) {
      known.count += count;
      known.ns += selfNs;
    } else if (count > 0) this.#folded.set(path, { count, ns: selfNs });
  }

  /** Emits the folded visits that waited. */
  emitFolded(channels: readonly Channel[], stepsOf: (path: number) => readonly PathStep[]): void {
    if (this.#folded.size === 0) return;
    this.#endDue(channels);
    for (const [path, { count, ns }] of this.#folded) {
      this.foldedPath(channels, stepsOf(path), { count, ns: Math.max(0, ns) });
    }
    this.#folded.clear();
  }

  attribute(channels: readonly Channel[], event: AttributeEvent): void {
    const { kind, name, value } = event;
    if (kind === "end" && name === this.#due) this.#due = undefined;
    else this.#endDue(channels);
    if (name === SNAPSHOT_NAME) return this.#snapshot(channels, Number(value) === TIMED);
    if (name === LAYOUT_NAME) {
      const [attribute, ...layout] = String(value).split("\n");
      return this.#each(channels, (channel) => channel.describe(attribute, layout.join("\n")));
    }
    if (name === METADATA_NAME) {
      const [attribute, key, type, ...rest] = String(value).split("\n");
      const text = rest.join("\n");
      return this.#each(channels, (channel) => {
        channel.addMetadata(attribute, key, { type: Number(type), text });
      });
    }
    if ((event.properties & RING_PROPERTY.ofSnapshot) !== 0) return void this.#pushed.push(event);
    const follows = kind === "begin" && (event.properties & ENTER_FOLLOWS) !== 0;
    this.#follows = follows ? name : undefined;
    const properties = event.properties & ~ENTER_FOLLOWS;
    const metadata: Record<string, boolean> = {};
    if (name.startsWith(ITERATION_PREFIX)) metadata[ITERATION_MARK] = true;
    const isValue = kind === "set" && properties === RING_PROPERTY.value;
    this.#each(channels, (channel) => {
      if (!channel.accepts(name)) return;
      if (kind === "end") return channel.endByName(name);
      const type = TYPE_NAMES[event.type] ?? "string";
      if (isValue) return channel.setValue(name, type, value);
      if ((properties & PROPERTY.global) !== 0) channel.globalValue(name, value, event.type);
      else {
        const attribute = channel.attribute(name, type, properties, metadata);
        if (kind === "begin") channel.begin(attribute, value);
        else channel.set(attribute, value);
      }
    });
  }

  /** @param isTimed It is an event that the program times itself, for channels that want such events. */
  #snapshot(channels: readonly Channel[], isTimed: boolean): void {
    const values = this.#pushed.splice(0);
    this.#each(channels, (channel) => {
      if (isTimed && !channel.services.has("async_event")) return;
      channel.snapshotWith(values.map(({ name, type, properties, value }) => {
        const bits = properties & ~RING_PROPERTY.ofSnapshot;
        return [channel.attribute(name, TYPE_NAMES[type] ?? "string", bits), value];
      }));
    });
  }

  /** All of its visits are folded by path from now on. */
  foldByPath(channels: readonly Channel[]): void {
    if (this.folds) return;
    this.folds = true;
    this.#each(channels, (channel) => channel.foldByPath());
  }

  /**
   * Visits of a path.
   *
   * @param channels At their places; `undefined`: not this one.
   * @param steps Its regions, from outside of all.
   */
  foldedPath(
    channels: readonly (Channel | undefined)[],
    steps: readonly PathStep[],
    folded: FoldedVisits,
  ): void {
    this.#each(channels, (channel) => channel.foldedPath(steps, folded));
  }

  /** Moves to the path that the next attribute belongs to; only for channels that aggregate. */
  moveTo(channels: readonly Channel[], steps: readonly PathStep[]): void {
    const from = this.#place;
    this.#place = steps;
    this.#each(channels, (channel) => channel.moveTo(from, steps));
  }

  /** Time has passed. */
  tick(channels: readonly Channel[]): void {
    this.#each(channels, (channel) => channel.tick());
  }

  /** A sample of its functions was taken. */
  sampled(channels: readonly Channel[], code: SampledCode): void {
    this.#each(channels, (channel) => channel.sampled(code));
  }

  /** An outer region that ended first has no word about the attributes of those inside it. */
  #endDue(channels: readonly Channel[]): void {
    const name = this.#due;
    if (name === undefined) return;
    this.#due = undefined;
    this.#each(channels, (channel) => channel.endByName(name));
  }

  #each(channels: readonly (Channel | undefined)[], call: (channel: Channel) => void): void {
    for (let i = 0; i < channels.length; i++) {
      const channel = channels[i];
      if (channel === undefined) continue;
      channel.turnTo(this.numbers[i]);
      call(channel);
    }
  }
}

/** Does a library make regions of this name? */
export function isLibrary(name: string): boolean {
  return name.startsWith("MPI_") || name.startsWith(OMPT_PREFIX);
}
