/**
 * Schema lines of raw stats files: `!TYPE key[,opt…] key[,opt…] …`.
 *
 * After the hpcperfstats manual: `E` marks an event counter, `C` a control register, `W=BITS` a
 * counter narrower than 64 bits, `U=STR` a unit; nothing marks a gauge. One real line:
 *
 *     !ps ctxt,E processes,E load_1 load_5 load_15 nr_running nr_threads
 *
 * Writers put the options in the order C or E, U, W; readers take any order, skip empty ones and
 * look at the first letter only, in either case. Of C and E the later wins.
 * @module
 */

/** `event`: only differences mean anything; `control`: what was programmed; `gauge`: a state. */
export type RawKind = "event" | "control" | "gauge";

/** One column of a type. */
export interface RawKey {
  /** The key's name. */
  readonly name: string;
  /** Counter, register or gauge. */
  readonly kind: RawKind;
  /** 64 if the line declares none. */
  readonly widthBits: number;
  /** Unit as declared, `512B`, `KB`, `cs`; empty if the line declares none. */
  readonly unit: string;
  /** Collected in full samples only, so that a fast sample's line omits it (`R=S`, 2026). */
  readonly slow: boolean;
}

/** The columns of a type, in the order of its statistics lines. */
export interface RawSchema {
  /** Name of the record type. */
  readonly type: string;
  /** In the order of a line's values. */
  readonly keys: readonly RawKey[];
}

/** One column from its text, `rd_sectors,E,U=512B`. */
export function parseRawKey(text: string): RawKey {
  const [name, ...options] = text.split(",");
  let kind: RawKind = "gauge";
  let widthBits = 64;
  let unit = "";
  let slow = false;
  for (const option of options) {
    const value = option.slice(option.indexOf("=") + 1);
    switch (option.charAt(0).toUpperCase()) {
      case "E":
        kind = "event";
        break;
      case "C":
        kind = "control";
        break;
      case "W": {
        const bits = Number(value);
        if (Number.isInteger(bits) && bits >= 1 && bits <= 64) widthBits = bits;
        break;
      }
      case "U":
        unit = value;
        break;
      case "R":
        slow = value.toUpperCase() === "S";
        break;
    }
  }
  return { name, kind, widthBits, unit, slow };
}

/**
 * A schema from its line, with or without the `!`; `undefined` if it names no type.
 *
 * @example
 * ```ts
 * import { parseRawSchema } from "./schema.ts";
 * const ps = parseRawSchema("!ps ctxt,E load_1")!;
 * console.log(ps.type, ps.keys.map((k) => k.kind)); // ps [ "event", "gauge" ]
 * ```
 */
export function parseRawSchema(line: string): RawSchema | undefined {
  const words = line.replace(/^!/, "").split(" ").filter((word) => word !== "");
  const type = words.shift();
  if (type === undefined || !/^[A-Za-z]/.test(type)) return undefined;
  return { type, keys: words.map(parseRawKey) };
}

/** A column as schema lines have it. */
function formatRawKey(key: RawKey): string {
  let text = key.name;
  if (key.kind === "control") text += ",C";
  if (key.kind === "event") text += ",E";
  if (key.unit !== "") text += `,U=${key.unit}`;
  if (key.widthBits !== 64) text += `,W=${key.widthBits}`;
  if (key.slow) text += ",R=S";
  return text;
}

/** A schema as its line, without the line end; no blank at its end. */
export function formatRawSchema(schema: RawSchema): string {
  return [`!${schema.type}`, ...schema.keys.map(formatRawKey)].join(" ");
}

/** Are two schemas equal in every column? */
export function sameSchema(a: RawSchema, b: RawSchema): boolean {
  return a === b || formatRawSchema(a) === formatRawSchema(b);
}

/** Unit of a column's counts. */
export interface RawUnit {
  /** Factor from counts to `name`. */
  readonly scale: number;
  /** `B`, `cs`, `ms`; empty for plain counts. */
  readonly name: string;
}

/** A declared unit: leading digits are a factor, `KB` and `kB` are 1024 bytes. */
export function parseRawUnit(unit: string): RawUnit {
  const digits = /^\d+/.exec(unit)?.[0] ?? "";
  const rest = unit.slice(digits.length);
  const factor = digits === "" ? 1 : Number(digits);
  return /^kb$/i.test(rest) ? { scale: factor * 1024, name: "B" } : { scale: factor, name: rest };
}
