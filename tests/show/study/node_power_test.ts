/** The pause between runs: until the node draws what it drew before, or not at all without a counter. */
import { assert, assertEquals } from "@std/assert";
import { NodePower } from "../../../src/show/study/node_power.ts";

/** Powers that are read one after another; `nan`: no counter. */
function reads(powers: readonly string[], body: (power: NodePower, left: () => number) => void) {
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${dir}/powers`, powers.map((line) => `${line}\n`).join(""));
    const script = `head -n 1 ${dir}/powers; sed -i 1d ${dir}/powers`;
    Deno.writeTextFileSync(`${dir}/read`, script);
    const left = () => Deno.readTextFileSync(`${dir}/powers`).split("\n").length - 1;
    body(new NodePower(["/bin/sh", `${dir}/read`], dir), left);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("the pause ends when the power is within 2 % of that before the first run", () => {
  reads(["100", "130", "97", "101.5", "100"], (power, left) => {
    power.remember();
    let waits = 0;
    power.settle(() => waits++);
    assertEquals([left(), waits], [1, 2]);
  });
});

Deno.test("without a counter there is no pause", () => {
  reads(["nan", "nan", "5"], (power, left) => {
    power.remember();
    power.settle(() => assert(false, "waited"));
    assertEquals(left(), 1);
  });
});
