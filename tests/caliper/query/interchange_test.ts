/**
 * Files go both ways: what we write is read by cali-query and by Caliper's Python reader as by us,
 * and what Caliper writes is read by us as by them.
 *
 * JOULEMARK_TEST_CALI_QUERY names a cali-query, JOULEMARK_TEST_CALIPER_READER the folder of
 * caliper-reader (with `caliperreader` inside); without them, recorded outputs stand in where there
 * are any, and the rest is skipped. Names that begin with CALI_ would configure Caliper itself.
 */

import { assertEquals } from "@std/assert";
import { PROPERTY } from "../../../src/caliper/model/attribute.ts";
import {
  type CaliContent,
  type CaliRecord,
  type CaliValue,
  readCali,
} from "../../../src/caliper/query/library.ts";
import { answer, askProgram, ownStreams, QUESTIONS } from "./_support/interchange.ts";

const REAL = new URL("../../vectors/caliper/real/", import.meta.url);
const RECORDED = new URL("outputs.json", REAL);
const FILES = ["event_trace.cali", "runtime_profile.cali"];
const CALI_QUERY = Deno.env.get("JOULEMARK_TEST_CALI_QUERY"),
  CALIPER_READER = Deno.env.get("JOULEMARK_TEST_CALIPER_READER");

interface Recorded {
  file: string;
  args: readonly string[];
  output: string;
}

if (CALI_QUERY !== undefined && Deno.env.has("UPDATE_GOLDEN")) {
  const outputs: Recorded[] = FILES.flatMap((file) =>
    QUESTIONS.map((args) => ({
      file,
      args,
      output: askProgram(CALI_QUERY, args, Deno.readFileSync(new URL(file, REAL))),
    }))
  );
  Deno.writeTextFileSync(RECORDED, JSON.stringify(outputs, null, 1) + "\n");
}

const encoder = new TextEncoder();

timed("a stream that Caliper wrote gives the recorded outputs of cali-query", () => {
  const recorded = JSON.parse(Deno.readTextFileSync(RECORDED)) as Recorded[];
  assertEquals(recorded.length, FILES.length * QUESTIONS.length);
  for (const { file, args, output } of recorded) {
    const stream = Deno.readFileSync(new URL(file, REAL));
    assertEquals(answer(args, stream), output, `${file} ${args.join(" ")}`);
  }
});

Deno.test({
  ...skippedWithout(
    "cali-query reads our streams as we do",
    unless(CALI_QUERY !== undefined, "JOULEMARK_TEST_CALI_QUERY names no cali-query"),
  ),
  fn() {
    for (const [name, text] of ownStreams()) {
      const stream = encoder.encode(text);
      for (const args of QUESTIONS) {
        const theirs = askProgram(CALI_QUERY!, args, stream);
        assertEquals(answer(args, stream), theirs, `${name}: ${args.join(" ")}`);
      }
    }
  },
});

/** Prints what caliper-reader makes of a file. */
const READ = `
import json, sys
sys.path.insert(0, sys.argv[1])
import caliperreader
reader = caliperreader.CaliperReader()
reader.read(open(sys.argv[2], encoding="utf-8"))
types = {name: reader.attribute(name).attribute_type() for name in reader.attributes()}
json.dump({"records": reader.records, "globals": reader.globals, "types": types}, sys.stdout)
`;
import { timed } from "../../_support/time_limit.ts";
import { skippedWithout, unless } from "../../_support/skipped.ts";

type Theirs = Record<string, string | string[]>;

Deno.test({
  ...skippedWithout(
    "caliper-reader reads our streams as we do",
    unless(CALIPER_READER !== undefined, "JOULEMARK_TEST_CALIPER_READER names no folder"),
  ),
  fn() {
    const streams = ownStreams();
    for (const file of FILES) streams.set(file, Deno.readTextFileSync(new URL(file, REAL)));
    for (const [name, text] of streams) {
      const { records, globals, types } = readByPython(text);
      const ours = readCali(text);
      const typeOf = (attribute: string) => types[attribute];
      assertEquals(records.length, ours.records.length, name);
      assertEquals(records.length > 0, true, `${name} is empty`);
      records.forEach((record, i) =>
        assertEquals(
          inTypes(record, typeOf),
          inShape(ours.records[i], ours.attributes),
          `${name}, record ${i}`,
        )
      );
      assertEquals(
        inTypes(globals, typeOf),
        inShape(ours.globals, ours.attributes),
        `${name}, globals`,
      );
    }
  },
});

function readByPython(text: string): {
  records: Theirs[];
  globals: Theirs;
  types: Record<string, string>;
} {
  const file = Deno.makeTempFileSync({ suffix: ".cali" });
  try {
    Deno.writeTextFileSync(file, text);
    const { stdout, stderr, success } = new Deno.Command("python3", {
      args: ["-c", READ, CALIPER_READER!, file],
    }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    Deno.removeSync(file);
  }
}

/** Their texts as values; `path` is left out, for it repeats the nested attributes. */
function inTypes(record: Theirs, typeOf: (attribute: string) => string): CaliRecord {
  const result: CaliRecord = {};
  for (const [name, texts] of Object.entries(record)) {
    if (name === "path") continue;
    const values = [texts].flat().map((text): CaliValue => {
      switch (typeOf(name)) {
        case "double":
          return Number(text);
        case "int":
        case "uint":
          return BigInt(text);
        case "bool":
          return text === "true";
        default:
          return text;
      }
    });
    result[name] = values.length > 1 ? values : values[0];
  }
  return result;
}

/** Our values in their shape: integers as bigint, no hidden attributes, lists of one bare. */
function inShape(record: CaliRecord, attributes: CaliContent["attributes"]): CaliRecord {
  const result: CaliRecord = {};
  for (const [name, value] of Object.entries(record)) {
    const { type, properties } = attributes[name];
    if ((properties & PROPERTY.hidden) !== 0) continue;
    const whole = type === "int" || type === "uint";
    const values = [value].flat().map((v) => whole && v !== null ? BigInt(v) : v);
    result[name] = values.length > 1 ? values : values[0];
  }
  return result;
}
