import { assertEquals } from "@std/assert";
import { parsePmc, type PmcRecord, stringifyPmc } from "../../../src/formats/pmc/pmc.ts";
import { PMC_RESTS } from "../../../src/job/place/part_files.ts";
import { keepSteps } from "../../../src/job/place/keep_steps.ts";
import { writePartsPmc } from "../../../src/job/place/pmc_part.ts";

const FIRST = 9_007_199_254_740_993n;

function record(step: number, joules: bigint): PmcRecord {
  const energyJ = Number(joules);
  const restsJ = [Number(joules - BigInt(energyJ)), 0, 0] as const;
  return { timeS: step + 1, step, substep: 1, powerW: 100, energyJ, restsJ };
}

Deno.test("writePartsPmc() is exact beyond 2^53 J with the rests beside a part, and reports wrong rests", () => {
  const dir = Deno.makeTempDirSync();
  try {
    const grown = [0n, 1n, 2n, 3n, 6n];
    const records = grown.map((more, i) => record(i === 0 ? -1 : i, FIRST + more));
    for (const host of ["a", "b"]) {
      Deno.writeFileSync(
        `${dir}/${host}.pmc`,
        stringifyPmc({ version: "6.0", form: "binary", records }) as Uint8Array,
      );
      const rests = JSON.stringify(records.map(({ restsJ }) => restsJ));
      Deno.writeTextFileSync(`${dir}/${host}.${PMC_RESTS}`, rests);
    }
    const collate = () => {
      const troubles = writePartsPmc([`${dir}/a.report`, `${dir}/b.report`], `${dir}/out`, "4.3");
      const { records } = parsePmc(Deno.readFileSync(`${dir}/out`));
      return { troubles, energies: records.map(({ energyJ }) => energyJ) };
    };
    assertEquals(collate(), { troubles: [], energies: [0, 2, 4, 6, 12] });
    Deno.writeTextFileSync(`${dir}/b.${PMC_RESTS}`, "[[1,2");
    const { troubles, energies } = collate();
    assertEquals(energies, [0, 1, 2, 3, 6]);
    assertEquals(troubles.length, 1);
    assertEquals(troubles[0].includes(`${dir}/b.${PMC_RESTS}`), true);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("a reading that a node of several lacks is told from 0 J", () => {
  const dir = Deno.makeTempDirSync();
  try {
    for (const [host, energies] of [["a", [NaN, 110, NaN, 130]], ["b", [0, 10, 20, 30]]] as const) {
      const records = energies.map((energyJ, i): PmcRecord => {
        return { timeS: i, step: i === 0 ? -1 : i, substep: 1, powerW: 100, energyJ };
      });
      const part = { pmcPath: `${dir}/${host}.pmc` } as Parameters<typeof keepSteps>[0]["part"];
      keepSteps({ part, host, reportPath: dir, quiet: true }, `${dir}/out`, "4.3", records);
    }
    const troubles = writePartsPmc([`${dir}/a.report`, `${dir}/b.report`], `${dir}/out`, "4.3");
    const { records } = parsePmc(Deno.readFileSync(`${dir}/out`));
    assertEquals(records.map(({ energyJ }) => energyJ), [0, 10, 20, 50]);
    assertEquals(troubles, [
      "a: 2 of 4 readings of the node's energy are not known; the PMC log has the reading before " +
      "each of them, and begins with the first that there is",
    ]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
