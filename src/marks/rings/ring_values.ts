/** Values of attributes, out of the 64 bits of a record. */

import type { EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { TYPE } from "../../core/events/ring_layout.ts";

/** Open values by attribute, innermost last. */
export type OpenValues = Map<string, (string | number)[]>;

/** Follows an attribute's values. @param deepest More are not kept. */
export function keepValue(
  all: OpenValues,
  { name, kind, value }: Pick<EventRecord, "name" | "kind" | "value">,
  deepest: number,
): void {
  const values = all.get(name) ?? [];
  if (kind === KIND.attributeEnd) values.pop();
  else if (kind === KIND.attributeSet && values.length > 0) values[values.length - 1] = value;
  else if (values.length < deepest) values.push(value);
  if (values.length === 0) all.delete(name);
  else all.set(name, values);
}

const words = new Uint32Array(2);
const asFloat = new Float64Array(words.buffer);
const asInt = new BigInt64Array(words.buffer);
const asUint = new BigUint64Array(words.buffer);

/** A binary64. */
export function floatOf(low: number, high: number): number {
  words[0] = low;
  words[1] = high;
  return asFloat[0];
}

const TYPE_NAMES = new Map<number, string>(
  Object.entries(TYPE).map(([name, code]) => [code, name]),
);

/**
 * A value of a type of the ring: a number that no double holds as its digits, an address and bytes in
 * hexadecimal, a type by its name.
 */
export function valueOf(
  type: number,
  low: number,
  high: number,
  ring: { hasName(index: number): boolean; readonly names: readonly { name: string }[] },
): number | string {
  words[0] = low;
  words[1] = high;
  if (type === TYPE.string || type === TYPE.usr) {
    return ring.hasName(low) ? ring.names[low].name : "";
  }
  if (type === TYPE.double) return asFloat[0];
  if (type === TYPE.bool) return low === 0 ? "false" : "true";
  if (type === TYPE.addr) return asUint[0].toString(16);
  if (type === TYPE.type) return TYPE_NAMES.get(low) ?? "inv";
  const whole = type === TYPE.uint ? asUint[0] : asInt[0];
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : String(whole);
}

/** CPUs whose bits are set in a mask. */
export function cpusOf(mask: Uint8Array): number[] {
  const cpus: number[] = [];
  for (let cpu = 0; cpu < mask.length * 8; cpu++) {
    if ((mask[cpu >> 3] >> (cpu & 7)) & 1) cpus.push(cpu);
  }
  return cpus;
}
