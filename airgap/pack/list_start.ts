/**
 * Makes start_functions.txt: which functions starts call, as V8 notes them.
 *
 *     deno task start-functions
 *
 * It packs an executable that keeps V8's log, and lets it run commands.
 */
import { permissionFlags } from "../../src/cli/permissions.ts";
import { ENTRY, pack } from "./pack.ts";
import { functionsIn, LIST, listText, placesOf } from "./start_functions.ts";

const MAP = new URL("../deno.json", import.meta.url).pathname;
const LIMIT_SECONDS = 30;
const QUERIES = [
  "select *,count(),sum(time.duration.ns) group by path format tree",
  "let s=scale(time.duration.ns,1e-9) select path,sum(s),avg(s),min(s),max(s) where path group by path order by path",
  "format cali",
  "format json-split",
];
/**
 * What scripts and jobs start many times, and what a query of much data needs; `@` is the executable. Queries' files
 * are made before.
 */
const COMMANDS = [
  ["@", "--version"],
  ["@", "run", "-q", "--", "true"],
  ["@", "run", "--", "sleep", "0.1"],
  ["@", "run", "--simulate", "--", "sleep", "0.1"],
  ["@", "demo", "--cali", "demo.cali", "--cali-config", "event-trace,output=trace.cali"],
  ...["demo.cali", "trace.cali"].flatMap((file) => [
    ...["-t", "-e", "-j"].map((format) => ["@", "query", format, file]),
    ...QUERIES.map((query) => ["@", "query", "-q", query, file]),
  ]),
];

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-start-" });
  try {
    await Deno.writeTextFile(LIST, listText(await namesCalled(folder)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Names of all functions that the commands call. */
async function namesCalled(folder: string): Promise<Set<string>> {
  const [out, logs] = [`${folder}/joulemark`, `${folder}/logs`];
  await Deno.mkdir(logs);
  const { functions, wholes } = await pack({
    out,
    map: MAP,
    entry: ENTRY,
    deno: Deno.execPath(),
    flags: permissionFlags(),
    log: `${logs}/%p`,
  });
  for (const command of COMMANDS) {
    const [program, ...args] = command.map((word) => word === "@" ? out : word);
    const { code, stderr } = await new Deno.Command(program, {
      args,
      cwd: folder,
      signal: AbortSignal.timeout(LIMIT_SECONDS * 1000),
    }).output();
    if (code !== 0) throw new Error(`${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  }
  const places = await placesOf(Deno.execPath(), functions);
  const names = new Set<string>();
  for (const { name } of Deno.readDirSync(logs)) {
    const called = functionsIn(await Deno.readTextFile(`${logs}/${name}`));
    for (const whole of wholes) {
      const at = new Set(called.get(whole.specifier)?.map(({ at }) => at));
      for (const [part, begins] of Object.entries(whole.at)) {
        for (const place of places.get(part) ?? []) {
          if (at.has(begins + place.at)) names.add(place.name);
        }
      }
    }
  }
  return names;
}
