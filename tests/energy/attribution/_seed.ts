/** Seeds chosen anew by each run of the tests, and printed, so that a failure can be had again. */

/** @param name Of the test. `ATTRIBUTION_SEED` sets the seed of all of them. */
export function testSeed(name: string): number {
  const given = Deno.env.get("ATTRIBUTION_SEED");
  const seed = given === undefined
    ? crypto.getRandomValues(new Uint32Array(1))[0] >>> 1
    : Number(given);
  console.log(`${name}: ATTRIBUTION_SEED=${seed}`);
  return seed;
}
