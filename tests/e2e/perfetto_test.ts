/** Perfetto traces, read by protoc with Perfetto's own field numbers. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { build, endToEnd, joulemark } from "../_support/programs.ts";
import { outputOf, without } from "../_support/readers_of_others.ts";

const SUPPORT = new URL("../_support/", import.meta.url).pathname;
/** Folder above Perfetto's `protos/`, where the whole schema is at hand. */
const WHOLE_SCHEMA = Deno.env.get("PERFETTO_SCHEMA");

/** A trace as protoc prints it: any field that the schema does not have would be a bare number. */
function decoded(path: string): string {
  const decode = "--decode=perfetto.protos.Trace";
  const schemas = [[`--proto_path=${SUPPORT}`, decode, `${SUPPORT}perfetto_subset.proto`]];
  if (WHOLE_SCHEMA !== undefined) {
    const file = `${WHOLE_SCHEMA}/protos/perfetto/trace/trace.proto`;
    schemas.push([`--proto_path=${WHOLE_SCHEMA}`, decode, file]);
  }
  const texts = schemas.map((args) =>
    outputOf("sh", ["-c", `protoc "$@" < '${path}'`, "sh", ...args])
  );
  for (const text of texts) {
    assertEquals(text.split("\n").filter((line) => /^\s*\d+[:\s]/.test(line)).slice(0, 3), []);
  }
  return texts.at(-1)!;
}

interface Slice {
  readonly track: string;
  readonly name: string;
  readonly fromNs: number;
  untilNs: number;
}

/** What a viewer makes of it: slices that nest, values of counters, names of tracks. */
function view(text: string) {
  const tracks = new Map<string, { name: string; parent: string; text: string }>();
  const names = new Map<string, string>();
  const open = new Map<string, Slice[]>();
  const slices: Slice[] = [];
  const values = new Map<string, number[]>();
  const field = (packet: string, name: string) =>
    new RegExp(`\\b${name}: "?([^"\\n]*)"?`).exec(packet)?.[1] ?? "";
  for (const packet of text.split(/^packet \{$/m).slice(1)) {
    const interned = /event_names \{([^}]*)\}/.exec(packet)?.[1];
    if (interned !== undefined) names.set(field(interned, "iid"), field(interned, "name"));
    if (packet.includes("track_descriptor {")) {
      const [name, parent] = [field(packet, "name"), field(packet, "parent_uuid")];
      tracks.set(field(packet, "uuid"), { name, parent, text: packet });
      continue;
    }
    const track = field(packet, "track_uuid"), timeNs = Number(field(packet, "timestamp"));
    const type = field(packet, "type");
    if (type === "") continue;
    assert(tracks.has(track), `an event on a track that is not described: ${track}`);
    const stack = open.get(track) ?? [];
    open.set(track, stack);
    if (type === "TYPE_SLICE_BEGIN") {
      const name = names.get(field(packet, "name_iid"));
      assert(name !== undefined, "a name before its number");
      stack.push({ track, name, fromNs: timeNs, untilNs: NaN });
    } else if (type === "TYPE_SLICE_END") {
      const slice = stack.pop();
      assert(slice !== undefined, "an end without a begin");
      slice.untilNs = timeNs;
      slices.push(slice);
    } else if (type === "TYPE_COUNTER") {
      const { name } = tracks.get(track)!;
      values.set(name, [...values.get(name) ?? [], Number(field(packet, "double_counter_value"))]);
    }
  }
  assertEquals([...open.values()].flat(), [], "slices that never end");
  return { tracks, slices, values };
}

endToEnd(
  "--perfetto has regions with the report's times, and powers beside them",
  (dir) => {
    const app = build("four_regions", dir);
    const outputs = ["--perfetto", "p", "--report", "r", "--trace", "t"];
    const power0 = ["--trace-signals", "CPU_POWER@package"];
    const args = ["run", "-q", "--simulate", ...outputs, ...power0, "--", app, "0.2"];
    const { code, stderr } = joulemark(dir, args);
    assertEquals([code, stderr], [0, ""]);
    const { tracks, slices, values } = view(decoded(`${dir}/p`));
    assertEquals(slices.map(({ name }) => name), ["a", "b", "c", "d"]);
    const report = Deno.readTextFileSync(`${dir}/r`);
    for (const { name, fromNs, untilNs } of slices) {
      const runtime =
        new RegExp(`region: "${name}"[^]*?runtime \\(s\\): ([\\d.e-]+)`).exec(report)![1];
      assert(Math.abs((untilNs - fromNs) * 1e-9 - Number(runtime)) < 2e-6, name);
    }
    // Region in thread in process.
    const thread = tracks.get(slices[0].track)!;
    assertMatch(thread.text, /thread \{\n\s+pid: (\d+)\n\s+tid: \1\n/);
    assertMatch(tracks.get(thread.parent)!.text, /process_name: "four_regions"/);
    const power = values.get("package power 0 (simulated)")!;
    // Each sample has one, but where it is that of the sample before.
    const [head, ...rows] = Deno.readTextFileSync(`${dir}/t`).split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("|"));
    const column = head.findIndex((name) => /^CPU_POWER.*-0$/.test(name));
    const traced = rows.map((row) => row[column]);
    const changes = traced.filter((w, i) => w !== "nan" && w !== traced[i - 1]).length;
    assert(Math.abs(power.length - changes) <= 2, `${power.length} values of ${changes} changes`);
    assert(power.length > 1 && power.every((w) => w > 0), `${power.length} values`);
  },
  undefined,
  without("protoc"),
);

endToEnd(
  "--perfetto: threads, spans, other tools' marks and a process that dies",
  (dir) => {
    for (const [name, args] of [["two_threads", []], ["die_inside", []]] as const) {
      const app = build(name, dir);
      const out = joulemark(dir, [
        "run",
        "-q",
        "--perfetto",
        `${name}.pftrace`,
        "--",
        app,
        ...args,
      ]);
      const { slices } = view(decoded(`${dir}/${name}.pftrace`));
      assert(slices.length > 0, out.stderr);
      assert(slices.every(({ fromNs, untilNs }) => untilNs >= fromNs));
      if (name === "two_threads") assert(new Set(slices.map(({ track }) => track)).size > 1);
    }
  },
  undefined,
  without("protoc"),
);

endToEnd(
  "a recording gives the trace of its run",
  (dir) => {
    const app = build("two_threads", dir);
    const live = ["run", "-q", "--record", "rec", "--perfetto", "live", "--", app];
    assertEquals(joulemark(dir, live).code, 0);
    const again = joulemark(dir, ["replay", "-q", "--report", "r", "--perfetto", "again", "rec"]);
    assertEquals(again.code, 0, again.stderr);
    const of = (path: string) =>
      view(decoded(`${dir}/${path}`)).slices.map(({ name, fromNs, untilNs }) => {
        return `${name} ${((untilNs - fromNs) / 1e3).toFixed(0)}`;
      });
    assertEquals(of("again"), of("live"));
  },
  undefined,
  without("protoc"),
);
