/** Call paths of marks: as the program sees its own stack, and as a channel records them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { query } from "../../src/caliper/query/library.ts";
import { compile, eventsOf, preloaded } from "../_support/preload.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";

const EXPORTED = "cc -O2 -Wall -Wextra -Werror -rdynamic -pthread -o app PROGRAMS/callpath.c";
const PLAIN = EXPORTED.replace(" -rdynamic", "");
const RECORD = ["--record", "recording"];

/** Each mark of a recording, `enter f1` or `exit f1`, with the path that is told around it. */
function marksOf(dir: string): { mark: string; path: string[] }[] {
  const rows = eventsOf(dir).filter((row) => /^(begin|end|enter|exit),/.test(row));
  return rows.flatMap((row, i) => {
    const [kind, name] = row.split(",");
    if (kind !== "enter" && kind !== "exit") return [];
    const [told, attribute, value] = rows[i - 1].split(",");
    assertEquals([told, attribute, rows[i + 1]], [
      ...["begin", "callpath.names", "end,callpath.names"],
    ]);
    return [{ mark: `${kind} ${name}`, path: value.split("\x1f") }];
  });
}

/** Functions from `main` or the thread's on: what lies around them is libc's own business. */
function own(path: readonly string[]): string {
  const first = path.findIndex((name) => name === "main" || name === "on_thread");
  return path.slice(first).join("/");
}

/** What a channel recorded of a program: reports' lines, without those that hold nothing. */
function recorded(dir: string, command: string[], calql: string, env: Record<string, string> = {}) {
  const out = preloaded(dir, "caliper,callpath", command, {
    env: {
      CALI_SERVICES_ENABLE: "event,callpath,trace,recorder",
      CALI_RECORDER_FILENAME: "paths.cali",
      ...env,
    },
  });
  const lines = query(calql, [Deno.readTextFileSync(`${dir}/paths.cali`)]).trimEnd().split("\n");
  return { ...out, lines };
}

endToEnd("run --preload caliper,callpath tells at marks the stack that the program has", (dir) => {
  compile(dir, EXPORTED);
  const out = preloaded(dir, "caliper,callpath", ["./app"], { options: RECORD });
  const marks = marksOf(dir);
  const begins = marks.filter(({ mark }) => /^enter f/.test(mark));
  const seen = out.stdout.trimEnd().split("\n").map((line) => line.split(" "));
  assertEquals(begins.length, 6);
  assertEquals(seen.length, 6);
  seen.forEach(([name, ...frames], i) => {
    const { mark, path } = begins[i];
    assertEquals(mark, `enter ${name}`);
    // The program knows exported names alone; the others are there by their places.
    assertEquals(path.map((frame) => /\+0x/.test(frame) ? "-" : frame), frames.reverse(), mark);
  });
  assertEquals(marks.map(({ mark, path }) => `${mark} ${own(path)}`), [
    "enter f1 main/f1",
    "enter f2 main/f1/f2",
    "enter f3 main/f1/f2/f3",
    "exit f3 main/f1/f2/f3",
    "exit f2 main/f1/f2",
    "exit f1 main/f1",
    "enter f2 main/f2",
    "enter f3 main/f2/f3",
    "exit f3 main/f2/f3",
    "exit f2 main/f2",
    "enter hidden main/hidden_outer/hidden_inner",
    "exit hidden main/hidden_outer/hidden_inner",
    "enter f3 on_thread/f3",
    "exit f3 on_thread/f3",
  ]);
});

endToEnd("the service callpath records paths of regions and attributes, names or places", (dir) => {
  const calql = "select event.begin#region,event.set#step,callpath.regname format expand";
  compile(dir, PLAIN);
  const named = recorded(dir, ["./app"], calql).lines;
  assertEquals(named.length, 15);
  const ends = (lines: string[], text: string) => lines.some((line) => line.endsWith(text));
  assert(ends(named, "/main/hidden_outer/hidden_inner"), named.join("\n"));
  const set = named.find((line) => line.startsWith("event.set#step=1,callpath.regname="));
  assert(set?.endsWith("/main"), named.join("\n"));
  compile(dir, "strip app");
  const places = recorded(dir, ["./app"], calql).lines;
  assertMatch(places[0], /^event\.begin#region=f1,.*\/app\+0x[0-9a-f]+\/app\+0x[0-9a-f]+$/);
  assertEquals(places.length, 15);
});

endToEnd("rows are apart by call path, and addresses come where they are asked for", (dir) => {
  compile(dir, EXPORTED);
  const calql = "select callpath.regname,callpath.address,count where region=f3 format json";
  const rows: Record<string, string>[] = JSON.parse(
    recorded(dir, ["./app"], calql, {
      CALI_SERVICES_ENABLE: "event,callpath,aggregate,recorder",
      CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
      CALI_CALLPATH_USE_ADDRESS: "true",
    }).lines.join("\n"),
  );
  const names = rows.map((row) => own(row["callpath.regname"].split("/")));
  assertEquals(names.sort(), ["main/f1/f2/f3", "main/f2/f3", "on_thread/f3"]);
  for (const row of rows) {
    assertMatch(row["callpath.address"], /^[0-9a-f]+(\/[0-9a-f]+)+$/);
    const [names, addresses] = ["regname", "address"].map((kind) => {
      return row[`callpath.${kind}`].split("/");
    });
    assertEquals(addresses.length, names.length);
  }
  // The same place in f3, whoever called it.
  assertEquals(new Set(rows.map((row) => row["callpath.address"].split("/").at(-1))).size, 1);
});

endToEnd("a stack that is too deep begins with what is left out; a child has paths too", (dir) => {
  compile(dir, EXPORTED);
  preloaded(dir, "caliper,callpath", ["./app", "deep"], { options: RECORD });
  const [{ path }] = marksOf(dir);
  assertEquals([path[0], path.at(-1)], ["...", "f3"]);
  assert(path.length > 50 && path.slice(1, -1).every((name) => name === "dive"), path.join());
  preloaded(dir, "caliper,callpath", ["./app", "fork"], { options: ["--record", "forked"] });
  Deno.renameSync(`${dir}/recording`, `${dir}/deep`);
  Deno.renameSync(`${dir}/forked`, `${dir}/recording`);
  const marks = marksOf(dir).map(({ mark, path }) => `${mark} ${own(path)}`);
  assertEquals(marks.length, 12);
  assertEquals(marks.slice(6), marks.slice(0, 6));
});

endToEnd("more paths than are kept are left out, which the report says; regions stay", (dir) => {
  compile(dir, EXPORTED);
  const out = preloaded(dir, "caliper,callpath", ["./app", "many", "20000"]);
  assertEquals(out.counts.hidden, 20000);
  assertStringIncludes(out.report, "call paths: more different ones than are kept");
});

endToEnd("a library built by hand tells paths and memory at the same marks", (dir) => {
  compile(dir, EXPORTED);
  // As "client preload" prints it: the shell sorts the files.
  compile(dir, `mkdir jm && ${BINARY} client preload --dir jm`);
  compile(dir, "cc -O0 -std=gnu99 -fPIC -shared -w -o jm/lib.so jm/*.c -ldl");
  preloaded(dir, "caliper,alloc,callpath", ["./app"], {
    options: [...RECORD, "--preload-lib", "jm/lib.so"],
  });
  const rows = eventsOf(dir).filter((row) => /^(begin|end|enter|exit),/.test(row));
  const at = rows.indexOf("enter,f3,UNKNOWN");
  const names = (from: readonly string[]) => from.map((row) => row.split(",")[1]);
  const ended = rows.slice(at + 1, rows.findIndex((row, i) => i > at && !row.startsWith("end,")));
  const begun = rows.slice(at - ended.length, at);
  assert(begun.every((row) => row.startsWith("begin,")), begun.join("\n"));
  assert(names(begun).includes("callpath.names"), begun.join("\n"));
  assert(names(begun).includes("alloc.region.highwatermark"), begun.join("\n"));
  assertEquals(names(ended), names(begun).toReversed());
});

endToEnd("run --preload callpath leaves a program without marks as it is", (dir) => {
  compile(dir, EXPORTED);
  const bare = new Deno.Command(`${dir}/app`).outputSync().stdout;
  const out = preloaded(dir, "callpath", ["sh", "-c", "./app | cat"], { options: RECORD });
  assertEquals(out.stdout, new TextDecoder().decode(bare));
  assertEquals(eventsOf(dir).filter((row) => row.includes("callpath")), []);
});
