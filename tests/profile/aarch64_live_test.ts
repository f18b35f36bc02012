/** Stacks of aarch64 programs with the C library against gdb, under an emulator. */
import { assertEquals } from "@std/assert";
import { END } from "../../src/profile/unwind.ts";
import {
  compileForArm,
  EmulatedWalker,
  expectedAddresses,
  NO_ARM_COMPILER,
  NO_ARM_DEBUGGER,
  NO_EMULATOR,
  stacksOf,
} from "../_support/emulated.ts";
import { skippedWithout } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";

const STOPS = "sort,order,deep,body,handler,order,puts", STEPS = 25, LIMIT_S = 60;
const WAYS: Readonly<Record<string, readonly string[]>> = {
  plain: ["-O2"],
  static: ["-O2", "-static"],
  frames: ["-O1", "-fno-omit-frame-pointer"],
  signed: ["-O2", "-mbranch-protection=standard"],
};

for (const [name, flags] of Object.entries(WAYS)) {
  Deno.test({
    ...skippedWithout(
      `stacks of aarch64 programs with the C library are those of gdb: ${name}`,
      NO_ARM_COMPILER,
      NO_EMULATOR,
      NO_ARM_DEBUGGER,
    ),
    async fn() {
      const dir = Deno.makeTempDirSync(), files = new Map<string, Uint8Array>();
      try {
        const program = compileForArm("vectors/aarch64/libc.c", `${dir}/app`, ["-g0", ...flags]);
        const where = { cpu: "cortex-a57", stops: STOPS, steps: STEPS };
        await withTimeLimit(async () => {
          const { samples, maps } = await stacksOf(program, where);
          const open = (path: string) => files.getOrInsertComputed(path, Deno.readFileSync);
          const walker = new EmulatedWalker(maps, open);
          assertEquals(samples.length, STOPS.split(",").length * STEPS);
          for (const one of samples) {
            const { addresses, end } = walker.walk(one);
            assertEquals([addresses, end], [expectedAddresses(one), END.root]);
          }
        }, LIMIT_S);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}
