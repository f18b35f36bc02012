import { assertEquals, assertStringIncludes } from "@std/assert";
import { bytesOfText, fieldsOf, parseLayout } from "../../../src/caliper/model/blob_layout.ts";
import { Channel } from "../../../src/caliper/model/services/channel.ts";
import { TYPE } from "../../../src/caliper/model/variant.ts";
import { query, readCali } from "../../../src/caliper/query/library.ts";

const LAYOUT = JSON.stringify([
  { name: "x", type: "double" },
  { name: "n", type: "int", size: 4 },
  { name: "flag", type: "bool", offset: 14 },
  { name: "far", type: "uint", offset: 16 },
  { name: "v", type: "double", size: 4, count: 2 },
  { name: "tag", type: "string", size: 8 },
]);

function cell(x: number, n: number): Uint8Array {
  const bytes = new Uint8Array(40);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, x, true);
  view.setInt32(8, n, true);
  bytes[14] = 1;
  view.setBigUint64(16, 0xffffffffffffffffn, true);
  view.setFloat32(24, 0.5, true);
  view.setFloat32(28, -2, true);
  bytes.set(new TextEncoder().encode("né"), 32);
  return bytes;
}

Deno.test("fieldsOf() reads numbers, strings and rows of numbers, and what is cut not at all", () => {
  const layout = parseLayout(LAYOUT);
  if ("wrong" in layout) throw new Error(layout.wrong);
  const read = (bytes: Uint8Array) => [...fieldsOf(layout, bytes)];
  assertEquals(read(cell(1.5, -7)), [
    ["x", TYPE.double, 1.5],
    ["n", TYPE.int, -7],
    ["flag", TYPE.bool, 1],
    ["far", TYPE.uint, 0xffffffffffffffffn],
    ["v[0]", TYPE.double, 0.5],
    ["v[1]", TYPE.double, -2],
    ["tag", TYPE.string, "né"],
  ]);
  assertEquals(read(cell(1.5, -7).subarray(0, 12)).map(([name]) => name), ["x", "n"]);
  assertEquals(bytesOfText("01:0:ff:41:a:"), Uint8Array.of(1, 0, 255, 65, 10));
  assertEquals(bytesOfText("no bytes"), undefined);
});

Deno.test("parseLayout() reports what is wrong", () => {
  const wrong = (layout: unknown) => {
    const found = parseLayout(typeof layout === "string" ? layout : JSON.stringify(layout));
    return "wrong" in found ? found.wrong : "nothing";
  };
  assertEquals(wrong({}), "expected a list of fields");
  assertEquals(wrong([{ type: "int" }]), "a field without a name");
  assertEquals(wrong([{ name: "a", type: "usr" }]), 'field "a": unknown type');
  assertEquals(wrong([{ name: "a", type: "int", size: 3 }]), 'field "a": wrong size');
  assertEquals(wrong([{ name: "a", type: "string" }]), 'field "a": wrong size');
  assertEquals(wrong([{ name: "a", type: "int", offset: -1 }]), 'field "a": wrong offset');
  assertEquals(wrong([{ name: "a", type: "int", count: 1e9 }]), 'field "a": wrong count');
  assertStringIncludes(wrong("{"), "JSON");
});

Deno.test("bytes of a known layout are expanded by CalQL and by readCali()", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace,recorder" });
  const metadata = { "attribute.layout": LAYOUT };
  const nested = channel.attribute("cell", "usr", "skip_events", metadata);
  const alone = channel.attribute("probe", "usr", "asvalue:skip_events", metadata);
  for (const [x, n] of [[1.5, 1], [2.5, 2], [4, 2]]) {
    channel.set(nested, cell(x, n));
    channel.set(alone, cell(-x, -n));
    channel.snapshot();
  }
  const stream = channel.flush();
  const [first] = readCali(stream).records;
  assertEquals(
    [first["cell.x"], first["cell.n"], first["cell.tag"], first["probe.x"], first["probe.v[1]"]],
    [1.5, 1, "né", -1.5, -2],
  );
  assertEquals(
    query("select cell.n,sum(cell.x),max(probe.x) group by cell.n format csv", [stream]),
    "cell.n,sum#cell.x,max#probe.x\n1,1.5,-1.5\n2,6.5,-2.5\n",
  );
  assertEquals(
    query('select cell.x where cell.tag="né",cell.x>2 format expand', [stream]),
    "cell.x=2.5\ncell.x=4\n",
  );
});

Deno.test("CALI_CALIPER_ATTRIBUTE_LAYOUTS gives attributes a layout, and reports what is none", () => {
  const channel = new Channel({
    CALI_SERVICES_ENABLE: "event,trace,recorder",
    CALI_CALIPER_ATTRIBUTE_LAYOUTS: `{"cell": ${LAYOUT}, "other": [{"name": "a", "type": "usr"}]}`,
  });
  assertEquals(channel.log, [
    '== CALIPER: CALI_CALIPER_ATTRIBUTE_LAYOUTS: other: field "a": unknown type',
  ]);
  channel.set(channel.attribute("cell", "usr", "skip_events"), cell(3, 4));
  channel.snapshot();
  assertEquals(readCali(channel.flush()).records[0]["cell.n"], 4);
});
