/**
 * The calls that programs are annotated with, after the functions of cali.h: regions, phases,
 * values by name, run metadata. Each is a begin, set or end of an attribute.
 * @module
 */

import { type Attribute, parseProperties, PROPERTY } from "./attribute.ts";
import { LAYOUT, parseLayout } from "./blob_layout.ts";
import { type Given, typeOfGiven } from "./given.ts";
import { type PlainRecord, plainRecord, type PlainValue, plainValue } from "./plain_record.ts";
import { AnnotationRuntime } from "./runtime.ts";
import type { EventKind } from "./service.ts";
import { Snapshot } from "./snapshot.ts";
import { type Meta, NONE } from "./tree.ts";
import { parseValue, TYPE, type TypeName } from "./variant.ts";

/** A channel's facts. */
export interface ChannelListener {
  /** An attribute was made. */
  attribute?(attribute: Attribute): void;
  /** A value of an attribute without `skip_events` is about to begin, change or end. */
  event?(kind: EventKind, attribute: Attribute, value: PlainValue): void;
  /** A snapshot was taken. */
  snapshot?(record: PlainRecord): void;
}

/**
 * Annotates a channel.
 *
 * @example
 * ```ts
 * import { Channel } from "joulemark";
 *
 * const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace" });
 * channel.beginRegion("solve");
 * channel.endRegion("solve");
 * ```
 */
export class Annotations extends AnnotationRuntime {
  /**
   * The attribute of a name, made if there is none. An existing one is returned unchanged.
   *
   * @param properties Bits, or names joined by `:`.
   * @param metadata What else is known of it, by name.
   * @throws {TypeError} If type or properties are none of Caliper's.
   */
  attribute(
    name: string,
    type: TypeName,
    properties: number | string = 0,
    metadata: Readonly<Record<string, Given>> = {},
  ): Attribute {
    if (!Object.hasOwn(TYPE, type)) throw new TypeError(`No such type: "${type}"`);
    const bits = typeof properties === "number" ? properties : parseProperties(properties);
    if (bits === null) throw new TypeError(`No such property: "${properties}"`);
    const meta = Object.entries(metadata).map(([key, value]): Meta => {
      const id = this.make(key, typeOfGiven(value), PROPERTY.skip_events);
      const read = this.read(id, value);
      return [id, read.type, read.value];
    });
    return this.tree.attribute(this.make(name, TYPE[type], bits, meta));
  }

  /** The attribute of a name, made if there is none: `attribute` by the service API's word. */
  createAttribute(
    name: string,
    type: TypeName,
    properties: number | string = 0,
    metadata: Readonly<Record<string, Given>> = {},
  ): Attribute {
    return this.attribute(name, type, properties, metadata);
  }

  /** Takes a snapshot now. */
  snapshot(): void {
    this.takeSnapshot(null);
  }

  /** Takes a snapshot now. @param values Added to it beside the context, by attribute. */
  pushContext(values: Readonly<Record<string, Given>> = {}): void {
    const info = new Snapshot();
    for (const [name, given] of Object.entries(values)) {
      const id = this.make(name, typeOfGiven(given), PROPERTY.asvalue | PROPERTY.skip_events);
      const { type, value } = this.read(id, given);
      info.pushValue(id, type, value);
    }
    this.takeSnapshot(info);
  }

  /** Snapshot of the current state. Nothing is kept, but measurements of growth restart. */
  pullContext(): PlainRecord {
    return plainRecord(this.tree, this.measured());
  }

  /**
   * Calls back on what happens in this channel, after its services.
   *
   * @returns Dispose of it to end the subscription.
   */
  on(listener: ChannelListener): Disposable {
    let listening = true;
    this.addService(({ tree }) => ({
      name: "listener",
      attributeMade: (id) => void (listening && listener.attribute?.(tree.attribute(id))),
      event(kind, id, { type, value }) {
        if (listening) listener.event?.(kind, tree.attribute(id), plainValue(type, value));
      },
      take: (record) => void (listening && listener.snapshot?.(plainRecord(tree, record))),
    }));
    return { [Symbol.dispose]: () => void (listening = false) };
  }

  /** Begins a region, Caliper's `region`. */
  beginRegion(name: string): void {
    this.begin("region", name);
  }

  /** Ends it. */
  endRegion(name: string): void {
    this.end("region", name);
  }

  /** Begins a phase, Caliper's `phase`. */
  beginPhase(name: string): void {
    this.begin("phase", name);
  }

  /** Ends it. */
  endPhase(name: string): void {
    this.end("phase", name);
  }

  /** Begins a communication region, Caliper's `comm.region`. */
  beginComm(name: string): void {
    this.begin("comm.region", name);
  }

  /** Ends it. */
  endComm(name: string): void {
    this.end("comm.region", name);
  }

  /** Opens a value of the attribute of that name, which is made with default properties. */
  beginByName(name: string, value: Given = true): void {
    this.begin(name, value);
  }

  /** Sets an integer of that name, which is made unaligned: it survives the end of regions. */
  setIntByName(name: string, value: number | bigint | string): void {
    this.set(this.attribute(name, "int", PROPERTY.unaligned), value);
  }

  /**
   * Sets a value that is no region: it has a stack of its own, whatever its name. If regions have the
   * name already (`phase`, `loop`), it is called `value#NAME`.
   *
   * @ignore
   */
  setValue(name: string, type: TypeName, value: Given): void {
    let attribute = this.attribute(name, type, PROPERTY.unaligned);
    if ((attribute.properties & (PROPERTY.unaligned | PROPERTY.asvalue)) === 0) {
      attribute = this.attribute(`value#${name}`, type, PROPERTY.unaligned);
    }
    this.set(attribute, value);
  }

  /** Ends the innermost value of the attribute of that name. */
  endByName(name: string): void {
    this.end(name);
  }

  /**
   * Sets the layout of an attribute's bytes, from the program's own metadata, before the attribute
   * is made. The configuration's word counts first.
   *
   * @ignore
   */
  describe(name: string, layout: string): void {
    const found = parseLayout(layout);
    if ("wrong" in found) this.say(`${LAYOUT} of ${name}: ${found.wrong}`);
    else if (!this.layouts.has(name)) this.layouts.set(name, layout);
  }

  /**
   * Metadata of an attribute, by the program; before it is made.
   *
   * @param value Its type by the code, and the value as text.
   * @ignore
   */
  addMetadata(name: string, key: string, { type, text }: { type: number; text: string }): void {
    const read = parseValue(type, text);
    if (read === null) return;
    this.metadata.getOrInsertComputed(name, () => new Map()).set(key, { type, value: read });
  }

  /**
   * Takes a snapshot now.
   *
   * @param values Added to it beside the context, which stays as it is.
   * @ignore
   */
  snapshotWith(values: readonly (readonly [Attribute, Given])[]): void {
    const info = new Snapshot();
    for (const [{ id }, given] of values) {
      const { type, value } = this.read(id, given);
      if (this.tree.isAsValue(id)) info.pushValue(id, type, value);
      else info.pushReference(this.tree, this.tree.child(NONE, id, type, value));
    }
    this.takeSnapshot(info);
  }

  /** Run metadata of a type by its code. */
  globalValue(name: string, value: Given, type: number): void {
    this.setGlobal(name, value, type);
  }

  /** Run metadata that is an integer. */
  globalInt(name: string, value: number | bigint | string): void {
    this.setGlobal(name, value, TYPE.int);
  }

  /** Run metadata that is text. */
  globalString(name: string, value: string): void {
    this.setGlobal(name, value, TYPE.string);
  }
}
