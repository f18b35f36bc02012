import { assertEquals } from "@std/assert";
import { parsePmc, type PmcRecord, stringifyPmc } from "../../../src/formats/pmc/pmc.ts";
import { PMC_RESTS } from "../../../src/job/place/part_files.ts";
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
