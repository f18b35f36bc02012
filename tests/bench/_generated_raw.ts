/**
 * A large raw stats file of one node: the records of a vector continued, every counter at the rate
 * that it has there, with a little noise; it wraps at its declared width, and nothing else steps back.
 *
 *     deno run -A tests/bench/_generated_raw.ts MEGABYTES [VECTOR] > FILE
 *
 * @module
 */
import { parseRawSchema } from "../../src/rawstats/format/schema.ts";

const VECTORS = new URL("../vectors/rawstats/", import.meta.url);
const DEFAULT_VECTOR = "node-intel-skx-2s.raw";

/** One line of a record: its counters, and by how much they grow. */
interface Line {
  readonly name: string;
  readonly values: bigint[];
  readonly steps: readonly bigint[];
  /** Beyond these a counter begins again; 0: it is none. */
  readonly ranges: readonly bigint[];
}

/** The file's pieces, until it has so many bytes. */
export function* generatedRaw(bytes: number, vector = DEFAULT_VECTOR): Generator<string> {
  const text = Deno.readTextFileSync(new URL(vector, VECTORS));
  const [header, ...records] = text.split("\n\n");
  const lines = linesOf(header, records);
  const [, job, host] = records[0].split("\n")[0].split(" ");
  yield `${header}\n`;
  let random = 1;
  for (let done = 0, at = 0; done < bytes; at++) {
    random = Math.imul(random, 1664525) + 1013904223 >>> 0;
    const noise = BigInt(random >>> 20);
    const rows = lines.map((line) => {
      line.values.forEach((value, k) => {
        const step = line.steps[k];
        if (line.ranges[k] === 0n) line.values[k] = value + (step > 0n ? noise % 64n - 32n : 0n);
        else line.values[k] = (value + step + step * noise / 16384n) % line.ranges[k];
        if (line.values[k] < 0n) line.values[k] = value;
      });
      return `${line.name} ${line.values.join(" ")}\n`;
    });
    const piece = `\n${1421049600 + 10 * at}.${String(250000 + random % 1000)} ${job} ${host}\n` +
      rows.join("");
    done += piece.length;
    yield piece;
  }
}

function linesOf(header: string, records: readonly string[]): Line[] {
  const schemas = new Map(
    header.split("\n").filter((line) => line.startsWith("!")).map((line) => {
      const schema = parseRawSchema(line)!;
      return [schema.type, schema] as const;
    }),
  );
  const rows = (record: string) =>
    new Map(
      record.trimEnd().split("\n").filter((line) => /^[a-z]/.test(line)).map((line) => {
        const [type, device, ...values] = line.split(" ");
        return [`${type} ${device}`, values.map(BigInt)] as const;
      }),
    );
  const first = rows(records[0]), second = rows(records[1]);
  return [...first].map(([name, values]) => {
    const { keys } = schemas.get(name.split(" ")[0])!;
    const next = second.get(name) ?? values;
    const steps = values.map((value, k) => {
      const step = (next[k] ?? value) - value;
      return step < 0n ? 0n : step;
    });
    const ranges = keys.map((key) => key.kind === "event" ? 1n << BigInt(key.widthBits) : 0n);
    // a gauge that moved goes on moving
    return { name, values: [...values], steps, ranges };
  }).filter(({ values, ranges }) => values.length === ranges.length);
}

if (import.meta.main) {
  const [megabytes, vector] = Deno.args;
  const encoder = new TextEncoder();
  let held = "";
  const write = () => {
    const bytes = encoder.encode(held);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
    held = "";
  };
  for (const piece of generatedRaw(Number(megabytes) * 1e6, vector)) {
    held += piece;
    if (held.length > 1 << 20) write();
  }
  write();
}
