/**
 * Properties of an attribute: the bits, their names, and the text form `asvalue:skip_events`.
 *
 * Truth: the Caliper manual, "Attribute properties". Scope and level are fields of several bits,
 * of which exactly one value holds; all other properties are single bits.
 * @module
 */

/** Property bits by name. */
export const PROPERTY = {
  default: 0,
  asvalue: 1,
  nomerge: 2,
  process_scope: 12,
  thread_scope: 20,
  task_scope: 24,
  skip_events: 64,
  hidden: 128,
  nested: 256,
  global: 512,
  unaligned: 1024,
  aggregatable: 2048,
  level_1: 0x10000,
  level_2: 0x20000,
  level_3: 0x30000,
  level_4: 0x40000,
  level_5: 0x50000,
  level_6: 0x60000,
  level_7: 0x70000,
} as const;

/** Name of a property. */
export type PropertyName = keyof typeof PROPERTY;

/** The bits that hold the scope. */
export const SCOPE_MASK = 60;
/** The bits that hold the granularity level, 0 finest. */
export const LEVEL_MASK = 0x70000;

function maskOf(name: string, bits: number): number {
  if (name.endsWith("_scope")) return SCOPE_MASK;
  return name.startsWith("level_") ? LEVEL_MASK : bits;
}

/**
 * Bits of a `:` list of property names; `level_0` is accepted.
 *
 * @returns The bits, or null with a name that is no property.
 */
export function parseProperties(text: string): number | null {
  let bits = 0;
  for (const word of text.split(":")) {
    const name = word.trim();
    if (name === "" || name === "level_0") continue;
    if (!Object.hasOwn(PROPERTY, name)) return null;
    const value = PROPERTY[name as PropertyName];
    bits = (bits & ~maskOf(name, value)) | value;
  }
  return bits;
}

/**
 * Properties by attribute name, of a list such as `k=asvalue:skip_events,j=nested`.
 *
 * @param log Called with a line for each item that is not understood.
 */
export function parsePresets(text: string, log: (line: string) => void): Map<string, number> {
  const presets = new Map<string, number>();
  for (const item of text.split(",")) {
    const at = item.indexOf("=");
    if (at < 0) continue;
    const bits = parseProperties(item.slice(at + 1));
    if (bits === null) log(`Invalid value "${item}" for CALI_CALIPER_ATTRIBUTE_PROPERTIES`);
    else presets.set(item.slice(0, at).trim(), bits);
  }
  return presets;
}

/** An attribute as seen by users of the library. */
export interface Attribute {
  /** Node id of the attribute in its tree. */
  readonly id: number;
  /** Name of the attribute, unique in a tree. */
  readonly name: string;
  /** Type code, see `TYPE`. */
  readonly type: number;
  /** Property bits, see `PROPERTY`. */
  readonly properties: number;
}
