/**
 * `callpath`: which functions called each other down to the mark at which a snapshot was taken, as
 * paths of their own in the tree: `callpath.regname`, functions by their names, and, with
 * CALI_CALLPATH_USE_ADDRESS, `callpath.address`.
 *
 * `--preload callpath` reports both around marks, one text each, the outermost function first. Names
 * are added unless CALI_CALLPATH_USE_NAME is false: an address alone is of little use, since nothing
 * looks it up. CALI_CALLPATH_SKIP_FRAMES leaves out so many of the innermost.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { isTrue } from "../config_words.ts";
import type { SampledCode, Service, ServiceHost, Trigger } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { parseValue, TYPE } from "../variant.ts";
import { addressAttribute, pathOf, UNKNOWN } from "./symbol_address.ts";

/** Separator of the functions of a path in the library's text. */
const FUNCTION_SEPARATOR = "\x1f";
const ADDRESS = "callpath.address", REGNAME = "callpath.regname";
/** Attributes of the library. */
const REPORTED = { names: "callpath.names", addresses: "callpath.addresses" } as const;

/** One kind of path. */
interface Column {
  /** Attribute that the library reports. */
  readonly reported: string;
  /** Attribute of the nodes; undefined if not requested. */
  readonly attribute: number | undefined;
  readonly type: number;
  /** Innermost nodes by the reported text. */
  readonly nodes: Map<string, number>;
  seen: boolean;
}

/** The service `callpath`. */
export function callpath(host: ServiceHost): Service {
  const { tree } = host;
  const wants = (name: string, otherwise: string) => {
    return isTrue(host.config(`CALI_CALLPATH_${name}`) ?? otherwise);
  };
  const skipped = framesToSkip(host);
  const makeNames = () => {
    const { thread_scope, skip_events } = PROPERTY;
    return host.createAttribute(REGNAME, TYPE.string, thread_scope | skip_events);
  };
  /** Wanted parts of samples: addresses, and names, which are added at the end. */
  const addresses = wants("USE_ADDRESS", "true"), names = wants("USE_NAME", "false");
  let sampled = NONE, code: SampledCode | undefined;
  /** Process by thread. */
  const processes: number[] = [];
  const columns: Column[] = [
    {
      reported: REPORTED.addresses,
      attribute: wants("USE_ADDRESS", "false") ? addressAttribute(host, ADDRESS) : undefined,
      type: TYPE.addr,
      nodes: new Map(),
      seen: false,
    },
    {
      reported: REPORTED.names,
      attribute: wants("USE_NAME", "true") ? makeNames() : undefined,
      type: TYPE.string,
      nodes: new Map(),
      seen: false,
    },
  ];
  const nodeOf = ({ attribute, type, nodes }: Column, text: string): number => {
    const known = nodes.get(text);
    if (known !== undefined) return known;
    let node = NONE;
    if (attribute !== undefined) {
      const words = text.split(FUNCTION_SEPARATOR);
      for (const word of words.slice(0, Math.max(0, words.length - skipped))) {
        node = tree.child(node, attribute, type, parseValue(type, word) ?? 0);
      }
    }
    nodes.set(text, node);
    return node;
  };
  return {
    name: "callpath",
    sampled(given) {
      code = given;
      processes[host.thread()] = given.process;
    },
    edit(record, thread): Snapshot {
      const regname = names ? tree.attributeByName(REGNAME) : NONE;
      if (regname === NONE || pathOf(tree, record, regname).length > 0) return record;
      const path = pathOf(tree, record, sampled), edited = record.copy();
      const node = path.reduce((outer: number, address) => {
        const { name } = code?.placeOf(processes[thread] ?? NONE, address) ?? UNKNOWN;
        return tree.child(outer, regname, TYPE.string, name);
      }, NONE);
      for (let i = edited.count - 1; i >= 0 && !addresses; i--) {
        if (edited.attributeAt(tree, i) === sampled) edited.remove(i);
      }
      if (node !== NONE) edited.pushReference(tree, node);
      return edited;
    },
    measure({ sampled: code }: Trigger, record: Snapshot): void {
      if (code !== undefined) {
        // Only its addresses are known now.
        if (!addresses && !names) return;
        sampled = sampled === NONE ? addressAttribute(host, ADDRESS) : sampled;
        const stack = code.stack(), length = Math.max(0, stack.length - skipped);
        let node = NONE;
        for (let i = 0; i < length; i++) node = tree.child(node, sampled, TYPE.addr, stack[i]);
        if (node !== NONE) record.pushReference(tree, node);
        return;
      }
      for (const column of columns) {
        const id = tree.attributeByName(column.reported);
        const at = id === NONE ? -1 : record.indexOf(id);
        if (at < 0) continue;
        column.seen = true;
        const node = nodeOf(column, String(record.valueAt(at)));
        record.remove(at);
        if (node !== NONE) record.pushReference(tree, node);
      }
    },
    flush(): void {
      for (const { reported, attribute, seen } of columns) {
        if (attribute === undefined || seen || sampled !== NONE) continue;
        const remedy = reported === REPORTED.names
          ? "run the program with --preload caliper,callpath"
          : "CALI_CALLPATH_USE_ADDRESS=true has to be in the program's environment";
        host.log(`callpath: no ${tree.nameOf(attribute)} was reported: ${remedy}`);
      }
    },
  };
}

function framesToSkip(host: ServiceHost): number {
  const text = host.config("CALI_CALLPATH_SKIP_FRAMES") ?? "0";
  if (/^\s*[0-9]{1,9}\s*$/.test(text)) return Number(text);
  host.log(`callpath: CALI_CALLPATH_SKIP_FRAMES is "${text}", not a whole number; 0 taken`);
  return 0;
}
