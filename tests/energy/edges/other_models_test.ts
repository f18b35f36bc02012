/**
 * The fit on the second simulation, at seeds chosen by each run: honest where powers are not so many
 * watts a region, and no worse where they are.
 *
 * Bounds are on counts that would be far off if the fit did not extend itself (28 % covered, before it did),
 * and that chance does not reach: see each.
 */
import { assert } from "@std/assert";
import { DRAWN, drawn, EVENT_MODELS } from "./_event_models.ts";
import { type Chance, type EventModel, runEvents } from "./_event_node.ts";
import { measureOther, measureRun, OTHER_MODELS, type OtherOutcome } from "./_other_models.ts";
import { SECOND_MODELS } from "./_more_models.ts";
import { testSeed } from "./_seed.ts";

const SECONDS = 40;

function outcomes(names: readonly string[], seed: number): OtherOutcome[] {
  return names.map((name, k) => {
    const model = OTHER_MODELS.find((one) => one.name === name)!;
    return measureOther(model, seed + 7919 * k, SECONDS);
  });
}

function covered(list: readonly OtherOutcome[], times: number): [within: number, told: number] {
  let within = 0;
  let told = 0;
  for (const { error, se } of list) {
    error.forEach((e, r) => {
      if (Number.isNaN(e)) return;
      told++;
      if (Math.abs(e) <= times * se[r]) within++;
    });
  }
  return [within, told];
}

Deno.test("the fit finds what powers depend on, and its errors hold what is left", () => {
  const list = outcomes([
    "first ms: +40 %",
    "long visits draw more",
    "inertia 1 ms",
    "inertia 2 ms",
    "same region: -25 %",
  ], testSeed("lack of fit"));
  const causes = list.map(({ causes }) => causes.join());
  // Each is hundreds of times likelier than none on every seed tried.
  assert(causes[0].includes("length of visits"), causes[0]);
  assert(causes[1].includes("length of visits"), causes[1]);
  assert(causes[2].includes("late") && causes[3].includes("late"), causes.slice(2, 4).join());
  assert(causes[4].includes("other CPUs"), causes[4]);
  // 99 % within two errors in the table: of 25, ten outside four is not chance; before, most were.
  const [within, told] = covered(list, 4);
  assert(within >= 0.6 * told && told >= 10, `${within} of ${told}`);
  // Regions and unmarked add up to the counter, whatever the model.
  for (const { sumError } of list) assert(sumError < 1e-9, String(sumError));
});

Deno.test("caused and drawn add up to the same, and differ where power follows the load late", () => {
  const [slow, plain] = outcomes(["inertia 2 ms", "slow noise"], testSeed("caused"));
  // What was caused is known about as well as what was drawn: 12 % lie between them.
  assert(
    slow.causedError.every((e) => Number.isNaN(e) || Math.abs(e) < 0.1),
    `${slow.causedError}`,
  );
  assert(Math.abs(slow.causedSum - 1) < 1e-6, String(slow.causedSum));
  assert(plain.causes.every((cause) => !cause.includes("late")), plain.causes.join());
});

Deno.test("machines of the third simulation: what ran before, and beginnings of half a millisecond", () => {
  const seed = testSeed("third");
  const run = (name: string) => {
    const model = EVENT_MODELS.find((one) => one.name === name)!;
    return measureRun(runEvents(model, seed, SECONDS), 0.001);
  };
  const after = run("after region 0: +20 %");
  assert(after.causes.some((cause) => cause.includes("what ran before")), after.causes.join());
  const list = [after, run("first 0.5 ms +60 %, all"), run("lag 0.1 ms"), run("bursts")];
  // 97 % within two errors in the table: of some 20, six outside four is not chance.
  const [within, told] = covered(list, 4);
  assert(told >= 12 && within >= told - 5, `${within} of ${told}`);
});

Deno.test("the fit finds power that depends on what ran before for some milliseconds", () => {
  const seed = testSeed("soon");
  const model = SECOND_MODELS.find(({ name }) => name === "3 ms after region 2: +30 %")!;
  const list = [0, 1, 2, 3, 4, 5].map((k) => measureOther(model, seed + 7919 * k, SECONDS));
  let worst = 0;
  for (const { causes, error } of list) {
    assert(causes.some((cause) => cause.includes("what ran before")), causes.join());
    const known = error.filter((e) => !Number.isNaN(e)).map(Math.abs);
    assert(known.length >= 4, `${error}`);
    worst += Math.max(...known) / list.length;
  }
  // 0.7 % on most seeds; 6 % before beginnings had columns of what ran before them.
  assert(worst < 0.025, `${worst}`);
  const [within, told] = covered(list, 2);
  assert(within >= 0.87 * told, `${within} of ${told}`);
});

Deno.test("a fast counter that moves by whole joules is told with errors that hold", () => {
  const seed = testSeed("coarse");
  const list = ["jitter, 2-8 ms", "heavy tails", "4 processes, 2-30 ms", "mostly in turn"].flatMap(
    (name, k) => {
      const model = OTHER_MODELS.find((one) => one.name === name)!;
      return [0.5, 1].map((stepJ, n) =>
        measureOther(
          { ...model, counter: { ...model.counter, stepJ } },
          seed + 7919 * (2 * k + n),
          60,
        )
      );
    },
  );
  // 39 of 40 and more on twelve seeds; before intervals had a length of their own, few of visits so short.
  const [within, told] = covered(list, 4);
  assert(told >= 34 && within >= 0.85 * told, `${within} of ${told}`);
});

Deno.test("errors hold time constants that look like a lag, and loops as short as one", () => {
  const seed = testSeed("late");
  const late = [
    "lag 0.2 ms, bursts",
    "lag 0.3 ms, loop",
    "lag 2 ms, loop",
    "10 ms counter, lag 2 ms",
    "visits over 6 ms +25 %",
  ];
  const list = late.flatMap((name, k) => {
    const model = EVENT_MODELS.find((one) => one.name === name)!;
    return [0, 1, 2].map((n) => {
      const run = runEvents(model, seed + 7919 * (3 * k + n), SECONDS);
      return measureRun(run, model.counter?.periodS ?? 0.001);
    });
  });
  list.push(...outcomes(["inertia 0.3 ms, loop", "inertia 0.3 ms, loop"], seed));
  const [within, told] = covered(list, 2);
  // 56 to 76 % of each before windows, powers and short time constants were as uncertain as they are.
  assert(told >= 45 && within >= 0.87 * told, `${within} of ${told}`);
});

Deno.test("errors hold on machines and programs that are drawn at random", () => {
  const seed = testSeed("drawn");
  const list = DRAWN.flatMap((kind, k) =>
    [0, 1].map((n) => {
      const own = seed + 7919 * (2 * k + n);
      return measureRun(runEvents(drawn(kind, own), own, SECONDS), 0.001);
    })
  );
  const [within, told] = covered(list, 2);
  console.log(`${within} of ${told} within two errors`);
  // 93 % in the table, and those of one machine go together: seldom below three quarters of 14 machines.
  assert(covered(list, 4)[0] >= 0.7 * told && told >= 30, `${covered(list, 4)[0]} of ${told}`);
  for (const { sumError } of list) assert(sumError < 1e-9, String(sumError));
});

Deno.test("beginnings beside a short time constant are within their errors", () => {
  function* visits(chance: Chance) {
    for (let region = chance.below(5);; region = (region + 1 + chance.below(4)) % 5) {
      yield { region, lengthS: chance.within(0.001, 0.005) };
    }
  }
  const model: EventModel = {
    name: "first ms +40 %, 0.3 ms",
    additive: false,
    cpus: 4,
    processOf: () => 0,
    visits,
    inertiaS: 3e-4,
    boostS: 1e-3,
    own: ({ isOld }) => isOld ? 1 : 1.4,
  };
  const seed = testSeed("beginnings");
  const list = [0, 1, 2, 3].map((k) => measureRun(runEvents(model, seed + k, SECONDS), 0.001));
  // All of 16 on other seeds; 4 and 3 of 20 before errors held what beginnings hide.
  const [within, told] = covered(list, 2);
  assert(told >= 10 && within >= 0.75 * told, `${within} of ${told}`);
});
