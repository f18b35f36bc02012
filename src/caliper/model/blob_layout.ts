/**
 * Layout of a program's own type: a struct, as JSON in the attribute's metadata `attribute.layout`,
 * by which readers show its fields as attributes of their own.
 *
 * ```
 * [{"name": "x", "type": "double", "offset": 0}, {"name": "n", "type": "int", "offset": 8, "size": 4},
 *  {"name": "speed", "type": "double", "offset": 16, "count": 3}, {"name": "tag", "type": "string",
 *  "offset": 40, "size": 8}]
 * ```
 * A field without an offset follows the one before. Numbers are little-endian; a string ends at its
 * first byte 0. Fields of an attribute `cell` are `cell.x`, `cell.n`, `cell.speed[0]`, …
 * @module
 */
import { narrow } from "./c_number.ts";
import { TYPE, type TypeName, type Value } from "./variant.ts";

/** Name of the metadata. */
export const LAYOUT = "attribute.layout";

/** One field. */
export interface BlobField {
  /** Name of the field, with its number if there are several. */
  readonly name: string;
  readonly type: number;
  readonly offset: number;
  readonly size: number;
}

const SIZES: Partial<Record<TypeName, readonly number[]>> = {
  int: [8, 4, 2, 1],
  uint: [8, 4, 2, 1],
  addr: [8, 4],
  double: [8, 4],
  bool: [1, 4],
};
const MAX_FIELDS = 1024;
const MAX_BYTES = 1 << 20;

/** @returns What is wrong, if it is no layout. */
export function parseLayout(text: string): BlobField[] | { readonly wrong: string } {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { wrong: (error as Error).message };
  }
  if (!Array.isArray(data)) return { wrong: "expected a list of fields" };
  const fields: BlobField[] = [];
  let next = 0;
  for (const item of data) {
    const { name, type, offset = next, size, count = 1 } = Object(item);
    const label = `field ${JSON.stringify(name)}`;
    if (typeof name !== "string" || name === "") return { wrong: "a field without a name" };
    const sizes = SIZES[type as TypeName];
    if (type !== "string" && sizes === undefined) return { wrong: `${label}: unknown type` };
    const bytes = size ?? sizes?.[0];
    const isSize = type === "string" ? bytes >= 0 && bytes <= MAX_BYTES : sizes!.includes(bytes);
    if (!Number.isInteger(bytes) || !isSize) return { wrong: `${label}: wrong size` };
    if (!Number.isInteger(offset) || offset < 0 || offset > MAX_BYTES) {
      return { wrong: `${label}: wrong offset` };
    }
    if (!Number.isInteger(count) || count < 1 || fields.length + count > MAX_FIELDS) {
      return { wrong: `${label}: wrong count` };
    }
    for (let i = 0; i < count; i++) {
      fields.push({
        name: count === 1 ? name : `${name}[${i}]`,
        type: TYPE[type as TypeName],
        offset: offset + i * bytes,
        size: bytes,
      });
    }
    next = offset + count * bytes;
  }
  return fields;
}

/**
 * Layouts of several attributes out of one JSON object, by name: `{"cell": [...]}`.
 *
 * @param log Called for those that are none.
 */
export function readLayouts(text: string, log: (line: string) => void): Map<string, string> {
  const layouts = new Map<string, string>();
  if (text === "") return layouts;
  let data: Record<string, unknown> = {};
  try {
    data = Object(JSON.parse(text));
  } catch (error) {
    log(`CALI_CALIPER_ATTRIBUTE_LAYOUTS: ${(error as Error).message}`);
  }
  for (const [name, layout] of Object.entries(data)) {
    const json = JSON.stringify(layout);
    const found = parseLayout(json);
    if ("wrong" in found) log(`CALI_CALIPER_ATTRIBUTE_LAYOUTS: ${name}: ${found.wrong}`);
    else layouts.set(name, json);
  }
  return layouts;
}

/** The fields that the bytes hold whole, in the order of the layout. */
export function* fieldsOf(
  layout: readonly BlobField[],
  bytes: Uint8Array,
): Generator<[name: string, type: number, value: Value]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const field of layout) {
    if (field.offset + field.size > bytes.length) continue;
    yield [field.name, field.type, valueOf(field, view, bytes)];
  }
}

function valueOf({ type, offset, size }: BlobField, view: DataView, bytes: Uint8Array): Value {
  if (type === TYPE.string) {
    const text = bytes.subarray(offset, offset + size);
    const end = text.indexOf(0);
    return new TextDecoder().decode(end < 0 ? text : text.subarray(0, end));
  }
  if (type === TYPE.double) {
    return size === 8 ? view.getFloat64(offset, true) : view.getFloat32(offset, true);
  }
  let bits = 0n;
  for (let i = size; i-- > 0;) bits = bits << 8n | BigInt(bytes[offset + i]);
  if (type === TYPE.bool) return bits === 0n ? 0 : 1;
  return narrow(type === TYPE.int ? BigInt.asIntN(8 * size, bits) : bits);
}

/** Bytes as streams write them, `01:0:ff:`; `undefined`: it is no such text. */
export function bytesOfText(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{1,2}:)*$/i.test(text)) return undefined;
  return Uint8Array.from(text.split(":").slice(0, -1), (digits) => parseInt(digits, 16));
}
