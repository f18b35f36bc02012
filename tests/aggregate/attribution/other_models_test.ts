/**
 * The fit on the second simulation, at seeds chosen by each run: honest where powers are not so many
 * watts a region, and no worse where they are.
 *
 * Bounds are on counts that would be far off if the fit did not extend itself (28 % covered, before it did),
 * and that chance does not reach: see each.
 */
import { assert } from "@std/assert";
import { measureOther, OTHER_MODELS, type OtherOutcome } from "./_other_models.ts";
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
