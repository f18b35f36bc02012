/**
 * Who may import whom. The table below is the architecture; each import line of src/ is held to it,
 * and an import against it fails with its file, its line and the rule.
 */
import { assertEquals } from "@std/assert";
import { walkSync } from "@std/fs";

const SOURCES = new URL("../src/", import.meta.url).pathname;

/** Folder → what it may import besides itself. The longest name that fits a file is its folder. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  os: ["core"],
  files: ["core", "formats", "os"],
  readers: ["core", "os"],
  signals: ["core"],
  marker: ["core", "os"],
  regions: ["core"],
  aggregate: ["core"],
  energy: ["core"],
  analysis: ["core", "formats"],
  formats: ["core"],
  rawstats: ["core", "formats", "os"],
  context: ["core"],
  "context/config": ["core", "context"],
  "context/services": ["core", "context", "context/config", "formats", "query"],
  query: ["core", "context", "formats"],
  merge: ["core", "files", "formats", "os"],
  client: ["core"],
  guardian: ["core", "os"],
  sim: ["core", "formats", "os"],
  capture: ["core", "os", "readers", "signals"],
  collect: ["core", "formats", "os", "readers"],
  serve: ["core", "os", "readers"],
  page: ["analysis", "core", "formats"],
  "page/client": ["analysis", "core", "page"],
  study: ["analysis", "core", "files", "formats", "os"],
  job: ["core", "files", "formats", "guardian", "merge", "os"],
  preload: ["client", "core", "job", "os"],
  events: ["core", "files", "job", "os"],
  recordings: ["core", "formats", "os", "regions", "signals"],
  channels: [
    ...["context", "context/config", "context/services", "core", "files", "job", "os", "query"],
    ...["regions", "signals"],
  ],
  request: ["core", "job", "os", "outputs", "preload", "regions"],
  outputs: [
    ...["aggregate", "channels", "client", "core", "energy", "events", "files", "formats", "job"],
    ...["merge", "os", "page", "recordings", "regions", "signals"],
  ],
  session: [
    ...["aggregate", "channels", "core", "events", "files", "formats", "guardian", "job"],
    ...["merge", "os", "outputs", "preload", "readers", "recordings", "regions", "request"],
    ...["signals", "sim"],
  ],
  cli: ["*"],
};

/** What the script of a page is bundled with; the program itself loads none of them. */
const PAGE_LIBRARIES = /^(uplot(\/.*)?|d3-flame-graph|d3-selection)$/;

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

/** The folder of the table that a file below src/ belongs to. */
function folderOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT)
    .filter((folder) => path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];
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
  const from = folderOf(file);
  if (from === undefined) return "every file of src/ is in a folder of the table";
  if (specifier.startsWith("node:")) {
    return isDynamic
      ? undefined
      : "no node: import at the top of a file (it costs every start; import it where it is used)";
  }
  if (!specifier.startsWith(".")) {
    if (from === "page/client" && PAGE_LIBRARIES.test(specifier)) return undefined;
    if (file === "analysis/pprof.ts" && specifier === "pprof-format") return undefined;
    return specifier.startsWith("@std/")
      ? undefined
      : "only @std packages by their bare names, node: inside functions, and our own files";
  }
  const target = resolve(file, specifier);
  const to = folderOf(target);
  if (to === undefined) return "src/ imports only from the folders of src/";
  if (from !== to && !MAY_IMPORT[from].includes(to) && MAY_IMPORT[from][0] !== "*") {
    return `${from}/ may import ${MAY_IMPORT[from].join(", ") || "nothing"}`;
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

Deno.test("no folder of src/ imports itself by way of others", () => {
  const graph = new Map<string, Set<string>>();
  for (const { file, specifier } of allImports()) {
    const [from, to] = [folderOf(file), folderOf(resolve(file, specifier))];
    if (from === undefined || to === undefined || from === to || !specifier.startsWith(".")) {
      continue;
    }
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  assertEquals(findCycle(graph)?.join(" -> "), undefined);
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
      rule("readers/tables/x.ts", "../msr.ts"),
      rule("readers/msr.ts", "../signals/alias.ts"),
      rule("readers/msr.ts", "./_bits.ts"),
      rule("signals/batch.ts", "../core/_bits.ts"),
      rule("context/tree.ts", "../query/spec.ts"),
      rule("context/services/report.ts", "../../query/spec.ts"),
      rule("cli/main.ts", "../session/run.ts"),
      rule("session/run.ts", "../cli/main.ts"),
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
      "readers/ may",
      undefined,
      "a file whose",
      "context/ may",
      undefined,
      undefined,
      "session/ may",
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
