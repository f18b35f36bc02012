/** The pause between runs: until the node draws what it drew before, or not at all without a counter. */
import { assertEquals } from "@std/assert";
import { NodePower } from "../../../src/show/study/node_power.ts";

/** Powers that are read one after another; `nan`: no counter. */
async function reads(
  powers: readonly string[],
  body: (power: NodePower, left: () => number) => Promise<void>,
) {
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${dir}/powers`, powers.map((line) => `${line}\n`).join(""));
    const script = `head -n 1 ${dir}/powers; sed -i 1d ${dir}/powers`;
    Deno.writeTextFileSync(`${dir}/read`, script);
    const left = () => Deno.readTextFileSync(`${dir}/powers`).split("\n").length - 1;
    await body(new NodePower(["/bin/sh", `${dir}/read`], dir), left);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("the pause ends when the power is within 2 % of that before the first run", async () => {
  await reads(["100", "130", "97", "101.5", "100"], async (power, left) => {
    await power.remember();
    let waits = 0;
    await power.settle(() => Promise.resolve(void waits++));
    assertEquals([left(), waits], [1, 2]);
  });
});

Deno.test("without a counter there is no pause", async () => {
  await reads(["nan", "nan", "5"], async (power, left) => {
    await power.remember();
    await power.settle(() => Promise.reject(new Error("waited")));
    assertEquals(left(), 1);
  });
});
