import { assertEquals } from "@std/assert";
import {
  BAD_ID,
  byteText,
  type CaliHandler,
  CaliScanner,
  CaliWriter,
  escapeCali,
  unescapedText,
} from "../../src/caliper/stream/cali.ts";

/** What a scanner reports, as text. */
function scan(text: string, options: { finalEmpty?: boolean; piece?: number } = {}): string[] {
  const seen: string[] = [];
  const valueOf = (s: CaliScanner, i: number) =>
    (s.escaped[i] ? unescapedText : byteText)(s.buffer, s.starts[i], s.ends[i]);
  const snapshot = (kind: string) => (s: CaliScanner) => {
    const values = Array.from(
      { length: s.valueCount },
      (_, i) => `${s.attributes[i]}:${valueOf(s, i)}`,
    );
    seen.push(`${kind} [${s.refs.subarray(0, s.refCount).join(" ")}] [${values.join("|")}]`);
  };
  const handler: CaliHandler = {
    node: (s) =>
      void seen.push(
        `node ${s.nodeId} ${s.nodeAttribute} ${s.hasParent ? s.nodeParent : "root"} ${
          valueOf(s, 0)
        }`,
      ),
    context: snapshot("ctx"),
    globals: snapshot("globals"),
    problem: (message, line) => void seen.push(`${line}: ${message}`),
  };
  const scanner = new CaliScanner(handler, options);
  const bytes = new TextEncoder().encode(text), piece = options.piece ?? bytes.length + 1;
  for (let at = 0; at < bytes.length; at += piece) scanner.push(bytes.subarray(at, at + piece));
  scanner.end();
  return seen;
}

Deno.test("CaliScanner reads nodes, snapshots and globals, for any order of keys", () => {
  assertEquals(
    scan(
      "__rec=node,parent=12,data=main,attr=13,id=20\n__rec=ctx,data=1=2,attr=5=6,ref=20=21\n" +
        "__rec=node,id=3,attr=9,data=x\n__rec=globals,ref=22\n",
    ),
    ["node 20 13 12 main", "ctx [20 21] [5:1|6:2]", "node 3 9 root x", "globals [22] []"],
  );
});

Deno.test("CaliScanner resolves escapes and keeps all other bytes", () => {
  assertEquals(scan("__rec=ctx,attr=1=2=3,data=a\\,b\\=c\\\\=l1\\nl2= x \n"), [
    "ctx [] [1:a,b=c\\|2:l1\nl2|3: x ]",
  ]);
});

Deno.test("CaliScanner gives the same records however the stream is cut into pieces", () => {
  const text = Deno.readTextFileSync(
    new URL("../vectors/caliper/escape_strings.cali", import.meta.url),
  );
  const whole = scan(text);
  for (const piece of [1, 2, 3, 7, 64, 1000]) assertEquals(scan(text, { piece }), whole);
});

Deno.test("CaliScanner takes a last line without newline, and a carriage return at line ends", () => {
  assertEquals(scan("__rec=ctx,ref=7"), ["ctx [7] []"]);
  assertEquals(scan("__rec=ctx,ref=7\r\n__rec=ctx,ref=8\r\n"), ["ctx [7] []", "ctx [8] []"]);
});

Deno.test("CaliScanner reports lines that are no records and goes on", () => {
  assertEquals(scan("# comment\n\n__rec=ctx\n__rec=ctx,ref=1\ngarbage\n"), [
    "1: Unknown/invalid record: # comment",
    "3: Unknown/invalid record: __rec=ctx",
    "ctx [1] []",
    "5: Unknown/invalid record: garbage",
  ]);
});

Deno.test("CaliScanner stops a record at an unknown key and uses what came before", () => {
  assertEquals(scan("__rec=ctx,ref=1,extra=9,attr=2,data=3\n__rec=ctx,ref=2\n"), [
    "ctx [1] []",
    "ctx [2] []",
  ]);
});

Deno.test("CaliScanner reports lists of different length and uses the common part", () => {
  assertEquals(scan("__rec=ctx,attr=1=2,data=5\n"), [
    "1: attr / data size mismatch",
    "ctx [] [1:5]",
  ]);
});

Deno.test("CaliScanner sees a data field that ends its line only when asked to", () => {
  assertEquals(scan("__rec=ctx,attr=1,data=\n"), ["1: attr / data size mismatch", "ctx [] []"]);
  assertEquals(scan("__rec=ctx,attr=1,data=\n", { finalEmpty: true }), ["ctx [] [1:]"]);
});

Deno.test("CaliScanner marks ids that are no numbers or too great", () => {
  assertEquals(scan("__rec=ctx,ref=x=99999999999=4\n"), [`ctx [${BAD_ID} ${BAD_ID} 4] []`]);
  assertEquals(scan("__rec=node,id=-1,attr=8,data=x\n"), [
    "1: Node or attribute ID missing in node record",
  ]);
});

Deno.test("CaliScanner skips a line without end and stays small", () => {
  const scanner = new CaliScanner({
    node() {},
    globals() {},
    context: () => void records++,
    problem: (message) => void problems.push(message),
  });
  let records = 0;
  const problems: string[] = [];
  const noise = new Uint8Array(1 << 20).fill(120);
  for (let i = 0; i < 40; i++) scanner.push(noise);
  scanner.push(new TextEncoder().encode("\n__rec=ctx,ref=1\n"));
  scanner.end();
  assertEquals([records, problems.length], [1, 1]);
  assertEquals(scanner.buffer.length <= 1 << 20, true);
});

Deno.test("escapeCali() puts a backslash before separators and drops control characters", () => {
  assertEquals(escapeCali('a,b=c\\d\ne\tf"größe '), 'a\\,b\\=c\\\\d\\nef"größe ');
});

Deno.test("CaliWriter writes each node once, after its attribute and its parent", () => {
  const nodes: Record<number, [number, number, string]> = {
    12: [10, 3, "276"],
    13: [8, 12, "region"],
    20: [13, -1, "main"],
    21: [13, 20, "a,b"],
  };
  const lines: string[] = [];
  const writer = new CaliWriter({
    attributeOf: (id) => nodes[id][0],
    parentOf: (id) => nodes[id][1],
    textOf: (id) => nodes[id][2],
  }, (line) => lines.push(line));
  writer.writeContext([{ node: 21, text: null }]);
  writer.writeContext([{ node: 20, text: null }, { node: 13, text: "x=1" }]);
  assertEquals(
    lines.join(""),
    [
      "__rec=node,id=12,attr=10,data=276,parent=3",
      "__rec=node,id=13,attr=8,data=region,parent=12",
      "__rec=node,id=20,attr=13,data=main",
      "__rec=node,id=21,attr=13,data=a\\,b,parent=20",
      "__rec=ctx,ref=21",
      "__rec=ctx,ref=20,attr=13,data=x\\=1",
      "",
    ].join("\n"),
  );
});
