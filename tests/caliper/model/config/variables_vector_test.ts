/**
 * Configuration strings come to the same variables, queries and options as in Caliper 2.15.
 *
 * `variables.json` holds what its ConfigManager makes of each string, without and with the services
 * of MPI. Queries are compared by what they say, not by their letters.
 */
import { assertEquals } from "@std/assert";
import type { ChannelSpec } from "../../../../src/caliper/model/config/channel_spec.ts";
import { ConfigError } from "../../../../src/caliper/model/config/config_error.ts";
import { parseConfigString } from "../../../../src/caliper/model/config/config_string.ts";
import { parseQuery } from "../../../../src/caliper/query/parser.ts";

interface Recorded {
  name: string;
  variables: Record<string, string>;
  metadata: Record<string, string>;
}

const VECTORS: Record<"serial" | "mpi", Record<string, Recorded[] | { error: string }>> = JSON
  .parse(
    Deno.readTextFileSync(
      new URL("../../../vectors/caliper/config/variables.json", import.meta.url),
    ),
  );

/** Defects of Caliper that are not copied: what is recorded, and what it is to be. */
const MENDED: readonly [string | RegExp, string][] = [
  // SELECT is missing in the query of openmp-report over ranks
  [" max(max#n.threads)", " select max(max#n.threads)"],
  // the largest mean under the title of the mean instead of the largest size
  ['max(max#mms.avg) as "Msg size (avg)"', 'max(max#mms.max) as "Msg size (max)"'],
  // bandwidth over a time that rows of the aggregate service do not have
  [
    /select io\.region as I\/O,ratio\((ib[rw])\.bytes,time\.duration\.ns/,
    "let $1.ns=first(sum#time.duration.ns,time.duration.ns) " +
    "select io.region as I/O,ratio($1.bytes,$1.ns",
  ],
  [/ratio#(ib[rw])\.bytes\/time\.duration\.ns/g, "ratio#$1.bytes/$1.ns"],
];

/** Queries become what they say. */
function readable(variables: Readonly<Record<string, string>>): Record<string, unknown> {
  const pairs = Object.entries(variables).map(([name, value]) => [
    name,
    /_CONFIG$/.test(name) ? parseQuery(value) : value,
  ]);
  return Object.fromEntries(pairs);
}

function mended(variables: Record<string, string>): Record<string, string> {
  const pairs = Object.entries(variables).map(([name, value]) => [
    name,
    MENDED.reduce((text, [wrong, right]) => text.replace(wrong, right), value),
  ]);
  return Object.fromEntries(pairs);
}

function globalsOf(channel: ChannelSpec): Record<string, string> {
  const options = Object.entries(channel.options).map(([name, value]) => [`opts:${name}`, value]);
  return { ...Object.fromEntries(options), ...channel.metadata };
}

for (const mode of ["serial", "mpi"] as const) {
  const facts = { mpi: mode === "mpi", behaviorOf: () => undefined, hasService: () => true };
  for (const [text, expected] of Object.entries(VECTORS[mode])) {
    Deno.test(`${mode}: ${text}`, () => {
      if (!Array.isArray(expected)) {
        let reason = "no error";
        try {
          parseConfigString(text, facts);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          reason = error.reason;
        }
        // behind " at " Caliper shows what follows
        assertEquals(reason, expected.error.replace(/ at .*$/, ""));
        return;
      }
      const { channels, remarks } = parseConfigString(text, facts);
      assertEquals(channels.map(({ name }) => name), expected.map(({ name }) => name));
      channels.forEach((channel, i) => {
        assertEquals(readable(channel.variables), readable(mended(expected[i].variables)));
        assertEquals(globalsOf(channel), expected[i].metadata);
      });
      assertEquals(remarks, []);
    });
  }
}
