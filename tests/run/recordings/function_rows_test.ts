/** Functions of a recording: what was written is read again, and damaged rows give a clear error. */
import { assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../src/core/errors.ts";
import { readFunctions } from "../../../src/run/recordings/function_rows.ts";
import { Random } from "../../fuzz/random.ts";

const CASES = Number(Deno.env.get("FUZZ_CASES") ?? 400);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 20260314);
const FACTS = {
  samples: 2,
  lost: 0,
  throttled: 0,
  frames: 2,
  guessedFrames: 0,
  ends: [2, 0, 0, 0, 0],
  cpuNs: 1e7,
  shortNs: 0,
  hiddenNs: 0,
  lostNs: 0,
  briefNs: 0,
};
const ROWS = [
  ["joulemark-functions/1", 199, 5025125.6],
  ["stack", 1, 0, -2, 0, "app"],
  ["module", 0, "/bin/app", "ab"],
  ["stack", 2, 1, 0, 4400, 4384],
  ["thread-name", 1, "worker"],
  ["bias", 7, 0, 93824992231424],
  ["sample", 15155169877000, 1, 7, 8, 2, 1],
  ["sample", 15155174877000, 0, 7, 8, 2],
  ["module", 0, "/bin/app", "ab", false],
  ["name", -2, 0, [["app", "", -1, 0, 0, "", 0]]],
  ["name", 0, 4400, [["heavy", "", 0, 4400, 4384, "a.c", 7]]],
  ["cost", 2, 1e7, 2, 0],
  ["end", 5e9, FACTS],
];

function read(text: string) {
  const directory = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${directory}/functions.jsonl`, text);
    return readFunctions(directory)!;
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

const text = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row) + "\n").join("");

Deno.test("readFunctions() reads times, names and samples", () => {
  const data = read(text(ROWS));
  assertEquals([data.hz, data.durationNs, data.facts], [199, 5e9, FACTS]);
  assertEquals(data.costs, [{ node: 2, ns: 1e7, samples: 2, briefNs: 0 }]);
  assertEquals(data.frames(0, 4400)[0].line, 7);
  assertEquals(data.samples.map(({ name }) => name), [1, -1]);
  assertEquals(data.frames(-2, 1)[0].name, "worker");
  assertEquals([data.biases.of(7, 0), data.biases.of(8, 0)], [93824992231424, 0]);
});

Deno.test("readFunctions() reads what notes need, where it is whole", () => {
  const about = { stackBytes: 4096, elsewhereNs: 0, others: 2, unread: [] };
  const ended = (...values: unknown[]) =>
    read(text([...ROWS.slice(0, -1), ["end", 5e9, ...values]]));
  assertEquals(ended({ ...FACTS, unseen: [] }, about).about, about);
  assertEquals(ended(FACTS).about, undefined);
  for (const wrong of [5, null, {}, { unread: [7] }, { unread: 7 }]) {
    assertThrows(() => ended({ ...FACTS, unseen: [] }, wrong), FormatError, "sources of notes");
  }
  assertThrows(() => ended(null, about), FormatError, "sources of notes");
});

Deno.test("readFunctions() gives each sample of a cut recording one period", () => {
  const data = read(text(ROWS.slice(0, 8)));
  assertEquals(data.costs, [{ node: 2, ns: 2 * 5025125.6, samples: 2, briefNs: 0 }]);
  const names = [[-2, 0], [0, 4400], [2, 4400]].map(([module, at]) =>
    data.frames(module, at)[0].name
  );
  assertEquals(names, ["app", "[app+0x1120]", "[not named]"]);
  assertEquals([data.isWhole, read(text(ROWS)).isWhole], [false, true]);
});

Deno.test("readFunctions() of damaged rows gives a result or a clear error", () => {
  const whole = text(ROWS);
  for (let number = 0; number < CASES; number++) {
    const random = new Random(SEED, number), letters = [...whole];
    for (let n = 1 + random.below(4); n > 0; n--) {
      letters[random.below(letters.length)] = random.pick([...'0129-,[]"\n xe']);
    }
    try {
      read(letters.join(""));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
});
