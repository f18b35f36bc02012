/**
 * CalQL from its grammar, with numbers of arguments, quotes and cases as they come, and then, at
 * times, damage of bytes; command lines likewise.
 */

import {
  AGGREGATIONS,
  FORMATTERS,
  LET_OPERATORS,
  type Signature,
} from "../../src/caliper/query/functions.ts";
import { OPTIONS } from "../../src/caliper/query/options.ts";
import type { Random } from "./random.ts";
import { NAMES, SPICE, VALUES } from "./words.ts";

/** A query as people write it, or nearly. */
export function makeQuery(random: Random): string {
  const clauses = Array.from({ length: random.below(5) }, () => random.pick(CLAUSES)(random));
  if (!random.once(4)) clauses.push(format(random));
  let text = clauses.join(random.once(6) ? "\n" : " ");
  if (random.once(4)) text = damageText(random, text);
  return random.once(200) ? growText(random, text) : text;
}

/** Arguments of the verb without files. */
export function makeArguments(random: Random): string[] {
  return Array.from({ length: random.below(5) }, () => {
    const { name, short, value } = random.pick(OPTIONS);
    const dashed = short !== undefined && random.once(2) ? `-${short}` : `--${name}`;
    if (!value || random.once(10)) return [dashed];
    const text = random.once(4) ? makeQuery(random) : list(random, () => argument(random));
    return random.once(2) ? [`${dashed}=${text}`] : [dashed, text];
  }).flat();
}

const CLAUSES: readonly ((random: Random) => string)[] = [
  (random) => `${cased(random, "select")} ${list(random, () => selected(random))}`,
  (random) => `${cased(random, "select")} ${list(random, () => selected(random))}`,
  (random) => `${cased(random, "aggregate")} ${list(random, () => call(random, AGGREGATIONS))}`,
  (random) => `${cased(random, "group by")} ${list(random, () => name(random))}`,
  (random) => `${cased(random, "where")} ${list(random, () => condition(random))}`,
  (random) => `${cased(random, "let")} ${list(random, () => term(random))}`,
  (random) =>
    `${cased(random, "order by")} ${
      list(random, () => name(random) + random.pick(["", " asc", " desc", " DESC"]))
    }`,
  format,
];

function cased(random: Random, word: string): string {
  return random.pick([word, word, word.toUpperCase(), word[0].toUpperCase() + word.slice(1)]);
}

function list(random: Random, item: () => string): string {
  return Array.from({ length: 1 + random.below(3) }, item).join(random.pick([",", ", "]));
}

/** A name, quoted where it has to be, mostly. */
function name(random: Random): string {
  return quoted(random, random.once(8) ? "path" : random.pick(NAMES));
}

function quoted(random: Random, text: string): string {
  if (random.once(30) || /^[\w.#:]+$/.test(text) && !random.once(10)) return text;
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function argument(random: Random): string {
  if (random.once(4)) return quoted(random, random.pick(VALUES));
  return random.once(6) ? random.pick(["2", "1e-6", "0", "-3"]) : name(random);
}

function call(random: Random, table: Readonly<Record<string, Signature>>): string {
  const [word, { arguments: { length: max }, required: min }] = random.pick(Object.entries(table));
  const count = random.once(15) ? random.below(11) : min + random.below(max - min + 1);
  const args = Array.from(
    { length: count },
    (_, i) => i < min || random.once(3) ? argument(random) : "2",
  );
  return `${cased(random, word)}(${args.join(",")})`;
}

function selected(random: Random): string {
  const item = random.once(3) ? call(random, AGGREGATIONS) : random.once(5) ? "*" : name(random);
  const as = random.once(4) ? ` ${cased(random, "as")} ${argument(random)}` : "";
  return item + as + (random.once(8) ? ` unit ${argument(random)}` : "");
}

function condition(random: Random): string {
  const not = random.once(4) ? "not " : "";
  return not + name(random) +
    random.pick(["", () => random.pick(["=", "<", ">"]) + quoted(random, random.pick(VALUES))].map(
      (part) => typeof part === "string" ? part : part(),
    ));
}

function term(random: Random): string {
  const target = random.once(3) ? name(random) : random.pick(["a", "b", "c"]);
  const when = random.once(4) ? ` if ${condition(random)}` : "";
  return `${target}=${call(random, LET_OPERATORS)}${when}`;
}

function format(random: Random): string {
  const [word, { arguments: args }] = random.pick(Object.entries(FORMATTERS));
  const given = args.filter(() => random.once(3)).map((arg) =>
    random.once(2) ? arg : `${arg}=${
      random.pick([
        "1",
        "0",
        "-1",
        "5",
        "99999999999",
        '"%x% %[20]region%|"',
        "region",
        '"x,y"',
        "true",
      ])
    }`
  );
  if (word === "format" && !random.once(4)) given.unshift('"%region% %[12]x% %[-3]y%"');
  return `${cased(random, "format")} ${word}${given.length > 0 ? `(${given.join(",")})` : ""}`;
}

/** Some bytes put in, changed or left out. */
function damageText(random: Random, text: string): string {
  let out = text;
  for (let n = random.below(4); n >= 0; n--) {
    const at = random.below(out.length + 1);
    const put = random.once(3)
      ? String.fromCharCode(random.below(256))
      : random.once(4)
      ? random.pick(NAMES)
      : random.pick(SPICE);
    out = out.slice(0, at) + put + out.slice(at + random.below(3));
  }
  return out;
}

function growText(random: Random, text: string): string {
  const from = random.below(text.length + 1), part = text.slice(from, from + random.below(12));
  return text.slice(0, from) + part.repeat(random.size(5000)) + text.slice(from);
}
