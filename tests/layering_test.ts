/**
 * Who may import whom, in two tables: between the wings of src/, and between the rooms of each wing.
 * An import against them fails with its file, its line and the rule.
 */
import { assertEquals } from "@std/assert";
import { walkSync } from "@std/fs";

const SOURCES = new URL("../src/", import.meta.url).pathname;

/** Wing → the wings that it may import besides itself. */
const WINGS: Record<string, readonly string[]> = {
  core: [],
  formats: ["core"],
  energy: ["core"],
  profile: ["core"],
  os: ["core", "formats"],
  sources: ["core", "os"],
  job: ["core", "formats", "os"],
  marks: ["core", "job", "os", "profile"],
  rawstats: ["core", "formats", "os", "sources"],
  caliper: ["core", "formats", "job", "marks", "os", "rawstats", "sources"],
  show: ["core", "formats", "os"],
  run: ["caliper", "core", "energy", "formats", "job", "marks", "os", "profile", "show", "sources"],
  cli: [
    "caliper",
    "core",
    "energy",
    "formats",
    "job",
    "marks",
    "os",
    "profile",
    "rawstats",
    "run",
    "show",
    "sources",
  ],
};

/**
 * Wing → room → the rooms of that wing that it may import. The files on top of a wing are a room without
 * a name here: every room may import them, and they may import every room.
 */
const ROOMS: Record<string, Record<string, readonly string[]>> = {
  caliper: {
    stream: [],
    model: ["stream"],
    query: ["model", "stream"],
    channels: ["model", "query"],
  },
  cli: {
    command_line: [],
    explanations: ["command_line"],
    doctor: ["command_line"],
    show: ["command_line", "explanations"],
    top: ["command_line"],
  },
  core: { machine: [], events: [] },
  energy: { totals: [], edges: [], attribution: [] },
  formats: { pmc: [], trace: [] },
  job: { guardian: [], merge: [], place: ["guardian", "merge"] },
  marks: { client: [], marker: [], preload: ["client"], rings: [], tracker: [] },
  os: { confinement: [], devices: ["confinement"], files: [], memory: [] },
  rawstats: { format: [], analysis: ["format"], daemon: ["format"] },
  run: {
    recordings: [],
    outputs: ["recordings"],
    request: ["outputs"],
    session: ["outputs", "recordings", "request"],
  },
  show: { analysis: [], page: ["analysis"], study: ["analysis"] },
  sources: {
    readers: [],
    signals: [],
    serve: ["readers"],
    sim: [],
    capture: ["readers", "signals"],
  },
};

/** What the script of a page is bundled with; the program itself loads none of them. */
const PAGE_LIBRARIES = /^d3-[a-z-]+$/;

/** One import or re-export, static or dynamic. */
interface Import {
  /** Below src/. */
  file: string;
  line: number;
  specifier: string;
  isDynamic: boolean;
}

/** Imports of one file; what stands in a comment does not count. */
export function importsOf(file: string, text: string): Import[] {
  // comments become blanks of the same shape, so that lines keep their numbers; texts are kept,
  // or "https://…" would begin a comment
  const code = text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\/.*|\/\*[\s\S]*?\*\//g,
    (all, kept) => kept ?? all.replace(/[^\n]/g, " "),
  );
  const pattern =
    /(?:^|[;}\n])\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|(?:^|[;}\n])\s*import\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;
  return [...code.matchAll(pattern)].map((match) => ({
    file,
    line: code.slice(0, match.index + match[0].length).split("\n").length,
    specifier: match[1] ?? match[2] ?? match[3],
    isDynamic: match[3] !== undefined,
  }));
}

/** The wing and the room of a file below src/; the room of a file on top of its wing is "". */
function placeOf(path: string): { wing: string; room: string } | undefined {
  const [wing, room, ...rest] = path.split("/");
  if (WINGS[wing] === undefined || room === undefined) return undefined;
  return { wing, room: rest.length === 0 ? "" : room };
}

/** Where a relative specifier leads, below src/; outside of src/ it begins with "../". */
function resolve(file: string, specifier: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "." || part === "") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** The rule that an import breaks, or nothing. */
export function brokenRule({ file, specifier, isDynamic }: Import): string | undefined {
  const from = placeOf(file);
  if (from === undefined) return "every file of src/ is in a wing of the table";
  if (specifier.startsWith("node:")) {
    return isDynamic
      ? undefined
      : "no node: import at the top of a file (it costs every start; import it where it is used)";
  }
  if (!specifier.startsWith(".")) {
    if (file.startsWith("show/page/client/") && PAGE_LIBRARIES.test(specifier)) return undefined;
    if (file === "show/analysis/pprof.ts" && specifier === "pprof-format") return undefined;
    return specifier.startsWith("@std/")
      ? undefined
      : "only @std packages by their bare names, node: inside functions, and our own files";
  }
  const target = resolve(file, specifier);
  const to = placeOf(target);
  if (to === undefined) return "src/ imports only from the wings of src/";
  const isWithin = from.wing === to.wing;
  if (!isWithin && !WINGS[from.wing].includes(to.wing)) {
    return `${from.wing}/ may import ${WINGS[from.wing].join(", ") || "nothing"}`;
  }
  if (isWithin && from.room !== to.room && from.room !== "" && to.room !== "") {
    const allowed = ROOMS[from.wing][from.room];
    if (allowed === undefined) return `${from.wing}/${from.room}/ is not in the table of rooms`;
    if (!allowed.includes(to.room)) {
      return `${from.wing}/${from.room}/ may import ${allowed.join(", ") || "no other room"}`;
    }
  }
  const isPrivate = target.split("/").at(-1)!.startsWith("_");
  const folder = (path: string) => path.slice(0, path.lastIndexOf("/"));
  if (isPrivate && folder(target) !== folder(file)) {
    return "a file whose name begins with _ is private to its folder";
  }
}

/** A way round in a graph, or nothing. */
export function findCycle(graph: Map<string, Set<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, way: string[]): string[] | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...way, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
}

function allImports(): Import[] {
  const found: Import[] = [];
  for (const { path } of walkSync(SOURCES, { exts: [".ts"], includeDirs: false })) {
    found.push(...importsOf(path.slice(SOURCES.length), Deno.readTextFileSync(path)));
  }
  return found;
}

Deno.test("src/ keeps to the table of who may import whom", () => {
  const broken = allImports().flatMap((line) => {
    const rule = brokenRule(line);
    return rule ? [`src/${line.file}:${line.line}: import of "${line.specifier}": ${rule}`] : [];
  });
  assertEquals(broken, []);
});

Deno.test("no wing and no room of src/ imports itself by way of others", () => {
  const acyclic = (table: Record<string, readonly string[]>) => {
    return findCycle(new Map(Object.entries(table).map(([from, to]) => [from, new Set(to)])));
  };
  assertEquals([WINGS, ...Object.values(ROOMS)].map(acyclic).filter((cycle) => cycle), []);
  const rooms = [...walkSync(SOURCES, { includeFiles: false, maxDepth: 2 })]
    .map(({ path }) => path.slice(SOURCES.length).split("/"))
    .filter(([wing, room]) => room !== undefined && ROOMS[wing]?.[room] === undefined);
  assertEquals(rooms.map((parts) => parts.join("/")), []);
});

Deno.test("no file of src/ imports itself by way of others", () => {
  const graph = new Map<string, Set<string>>();
  for (const { file, specifier } of allImports()) {
    if (!specifier.startsWith(".")) continue;
    graph.set(file, (graph.get(file) ?? new Set()).add(resolve(file, specifier)));
  }
  assertEquals(findCycle(graph)?.join(" -> "), undefined);
});

Deno.test("nothing that is exported changes: the packed program takes it once", () => {
  const changing = [...walkSync(SOURCES, { exts: [".ts"], includeDirs: false })].flatMap(
    ({ path }) => {
      const lines = Deno.readTextFileSync(path).split("\n");
      return lines.filter((line) => /^export (?:let|var)\b/.test(line)).map((line) =>
        `${path}: ${line}`
      );
    },
  );
  assertEquals(changing, []);
});

Deno.test("importsOf() sees every form of import, and none in comments and texts", () => {
  const text = `import { a } from "./a.ts"; // import "./no1.ts"
/* import "./no2.ts" */
import type { B } from "../core/b.ts";
import {
  c,
} from '@std/yaml';
export * from "./d.ts";
export { e } from "./e.ts";
import "./f.ts";
import text from "./g.h" with { type: "text" };
const url = "https://x"; const h = await import("node:zlib");
export function i() {}
const from = "./no3.ts";
`;
  assertEquals(
    importsOf("x.ts", text).map((i) => `${i.line} ${i.specifier}${i.isDynamic ? " dynamic" : ""}`),
    [
      "1 ./a.ts",
      "3 ../core/b.ts",
      "6 @std/yaml",
      "7 ./d.ts",
      "8 ./e.ts",
      "9 ./f.ts",
      "10 ./g.h",
      "11 node:zlib dynamic",
    ],
  );
});

Deno.test("brokenRule() and findCycle() hold the rules", () => {
  const rule = (file: string, specifier: string, isDynamic = false) =>
    brokenRule({ file, line: 1, specifier, isDynamic })?.slice(0, 12);
  assertEquals(
    [
      rule("os/libc.ts", "../core/errors.ts"),
      rule("core/a.ts", "./b.ts"),
      rule("core/a.ts", "../os/libc.ts"),
      rule("sources/readers/tables/x.ts", "../msr.ts"),
      rule("sources/readers/msr.ts", "../signals/alias.ts"),
      rule("sources/capture/tree.ts", "../signals/alias.ts"),
      rule("sources/readers/msr.ts", "./_bits.ts"),
      rule("caliper/query/x.ts", "../../core/_bits.ts"),
      rule("caliper/model/tree.ts", "../query/spec.ts"),
      rule("energy/totals/x.ts", "../../os/libc.ts"),
      rule("cli/main.ts", "../run/session/run.ts"),
      rule("run/session/run.ts", "../../cli/main.ts"),
      rule("cli/main.ts", "node:fs"),
      rule("cli/main.ts", "node:fs", true),
      rule("cli/main.ts", "npm:yaml"),
      rule("cli/main.ts", "../../mod.ts"),
      rule("main.ts", "./cli/main.ts"),
    ],
    [
      undefined,
      undefined,
      "core/ may im",
      undefined,
      "sources/read",
      undefined,
      undefined,
      "a file whose",
      "caliper/mode",
      "energy/ may ",
      undefined,
      "run/ may imp",
      "no node: imp",
      undefined,
      "only @std pa",
      "src/ imports",
      "every file o",
    ],
  );
  const graph = new Map([["a", new Set(["b"])], ["b", new Set(["c"])], ["c", new Set(["b"])]]);
  assertEquals(findCycle(graph), ["b", "c", "b"]);
  assertEquals(findCycle(new Map([["a", new Set(["b"])]])), undefined);
});
