/** Raw stats made of lines, and what `stats` prints of them. */
import { stats } from "../../../src/cli/stats.ts";
import { capture, type Captured } from "../../_support/capture.ts";

/** A header; schemas begin with `!`. */
export function header(schemas: readonly string[], uptimeS = 1000, host = "n1"): string {
  const lines = [
    "$hpcperfstats 2.3.5",
    `$hostname ${host}`,
    "$uname Linux x86_64 5.14.0 #1 SMP",
    `$uptime ${uptimeS}`,
    ...schemas,
  ];
  return lines.join("\n") + "\n";
}

/** A record; marks begin with `%`. */
export function record(seconds: number, jobs: string, ...lines: string[]): string {
  return `\n${seconds}.000000 ${jobs} n1\n${lines.join("\n")}\n`;
}

/** Prints files, by their names. */
export async function printed(
  files: Readonly<Record<string, string | Uint8Array>>,
  ...args: string[]
): Promise<Captured> {
  const dir = Deno.makeTempDirSync();
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      Deno.writeFileSync(`${dir}/${name}`, bytes);
    }
    return await capture(stats, [...args, ...Object.keys(files).map((name) => `${dir}/${name}`)]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** A document, whose members each test knows. */
// deno-lint-ignore no-explicit-any
type Document = any;

/** The JSON of files. */
export async function json(
  files: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Document> {
  return JSON.parse((await printed(files, "-q", "--json", ...args)).stdout);
}

/** The JSON of one file: a record every 300 s with these lines. */
export async function every300(
  schema: string,
  lines: readonly string[],
  ...args: string[]
): Promise<Document> {
  const records = lines.map((line, i) => record(1760000000 + 300 * i, "1", line));
  return await json({ a: header([schema]) + records.join("") }, ...args);
}
