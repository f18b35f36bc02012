/**
 * The calls that programs are annotated with, after the functions of cali.h: regions, phases,
 * values by name, run metadata. Each is a begin, set or end of an attribute.
 * @module
 */

import { PROPERTY } from "./attribute.ts";
import type { Given } from "./given.ts";
import { AnnotationRuntime } from "./runtime.ts";
import { TYPE } from "./variant.ts";

/** See the module. */
export class Annotations extends AnnotationRuntime {
  beginRegion(name: string): void {
    this.begin("region", name);
  }

  endRegion(name: string): void {
    this.end("region", name);
  }

  beginPhase(name: string): void {
    this.begin("phase", name);
  }

  endPhase(name: string): void {
    this.end("phase", name);
  }

  beginComm(name: string): void {
    this.begin("comm.region", name);
  }

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

  /** Ends the innermost value of the attribute of that name. */
  endByName(name: string): void {
    this.end(name);
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
