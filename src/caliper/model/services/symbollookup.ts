/**
 * `symbollookup`: functions, files, lines and modules of addresses, added to records at the end:
 * `source.function#A`, `source.file#A`, `source.line#A`, `sourceloc#A` and `module#A` for an attribute A.
 *
 * Addresses of samples are known. CALI_SYMBOLLOOKUP_LOOKUP_FUNCTIONS, _SOURCELOC, _MODULE (true),
 * _FILE and _LINE (false) choose, and CALI_SYMBOLLOOKUP_ATTRIBUTES names the attributes.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { isTrue, wordsOf } from "../config_words.ts";
import type { CodePlace, SampledCode, Service, ServiceHost } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { TYPE, type Value } from "../variant.ts";
import { pathOf, SYMBOL_ADDRESS, UNKNOWN } from "./symbol_address.ts";

/** Parts of a place, from coarse to fine: variable, default, attribute, value. */
const PARTS: readonly (readonly [
  variable: string,
  byDefault: string,
  attribute: string,
  valueOf: (place: CodePlace) => string | number,
])[] = [
  ["MODULE", "true", "module", ({ module }) => module],
  ["FILE", "false", "source.file", ({ file }) => file],
  ["FUNCTIONS", "true", "source.function", ({ name }) => name],
  ["LINE", "false", "source.line", ({ line }) => line],
  ["SOURCELOC", "true", "sourceloc", ({ file, line }) => `${file}:${line}`],
];

/** An attribute whose values are addresses, with the attributes of their places. */
interface Column {
  readonly address: number;
  readonly parts: readonly { readonly attribute: number; valueOf(place: CodePlace): Value }[];
  /** Innermost nodes of places by process, outer node and address. */
  readonly nodes: Map<string, number>;
}

/** The service `symbollookup`. */
export function symbollookup(host: ServiceHost): Service {
  const { tree } = host;
  let code: SampledCode | undefined, columns: readonly Column[] | undefined;
  let lookups = 0, cached = 0, failed = 0;
  /** Process by thread. */
  const processes: number[] = [];
  const columnOf = (address: number): Column => {
    const name = tree.nameOf(address);
    const parts = PARTS.filter(([variable, byDefault]) => {
      return isTrue(host.config(`CALI_SYMBOLLOOKUP_LOOKUP_${variable}`) ?? byDefault);
    });
    return {
      address,
      nodes: new Map(),
      parts: parts.map(([variable, , attribute, valueOf]) => ({
        attribute: host.createAttribute(
          `${attribute}#${name}`,
          variable === "LINE" ? TYPE.uint : TYPE.string,
          PROPERTY.skip_events,
        ),
        valueOf,
      })),
    };
  };
  const lookUp = (column: Column, thread: number, outer: number, address: Value): number => {
    const process = processes[thread] ?? NONE, key = `${process} ${outer} ${address}`;
    const known = column.nodes.get(key);
    lookups++;
    if (known !== undefined) {
      cached++;
      return known;
    }
    const place = code?.placeOf(process, address);
    if (place === undefined && failed++ === 0) {
      host.log(
        "symbollookup: addresses at annotations are UNKNOWN, only those of samples are looked up. " +
          "callpath.regname has the names at annotations",
      );
    }
    const node = column.parts.reduce((parent, { attribute, valueOf }) => {
      return tree.child(parent, attribute, tree.valueTypeOf(attribute), valueOf(place ?? UNKNOWN));
    }, outer);
    column.nodes.set(key, node);
    return node;
  };
  return {
    name: "symbollookup",
    sampled(given) {
      code = given;
      processes[host.thread()] = given.process;
    },
    edit(record, thread): Snapshot {
      columns ??= addressAttributes(host).map(columnOf);
      const edited = record.copy();
      for (const column of columns) {
        const at = record.indexOf(column.address);
        const addresses = at >= 0 ? [record.valueAt(at)] : pathOf(tree, record, column.address);
        const node = addresses.reduce((outer: number, address) => {
          return lookUp(column, thread, outer, address);
        }, NONE);
        if (node !== NONE) edited.pushReference(tree, node);
      }
      return edited;
    },
    flush() {
      const counts = `${lookups} address lookups, ${cached} cached, ${failed} failed`;
      host.note(`Symbollookup: Performed ${counts}.`);
    },
  };
}

/** Attributes to look up: those that are named, or all with the metadata of addresses. */
function addressAttributes(host: ServiceHost): number[] {
  const { tree } = host, names = wordsOf(host.config("CALI_SYMBOLLOOKUP_ATTRIBUTES"));
  const mark = tree.attributeByName(SYMBOL_ADDRESS);
  if (names.length === 0) {
    if (mark === NONE) return [];
    return tree.attributes().filter(({ id }) => tree.metadataNode(id, mark) !== NONE)
      .map(({ id }) => id);
  }
  return names.flatMap((name) => {
    const id = tree.attributeByName(name);
    if (id === NONE) host.log(`Symbollookup: Address attribute "${name}" not found!`);
    return id === NONE ? [] : [id];
  });
}
