/**
 * Makes the vectors of this folder anew: programs, registers, stacks and gdb's frames. Needs gcc-aarch64-linux-gnu,
 * qemu-user and gdb-multiarch: `sh airgap/deno.sh run -A tests/vectors/aarch64/make.ts`.
 */
import {
  ARM_COMPILER,
  ARM_VECTORS,
  type EmulatedRun,
  packedStack,
  stacksOf,
} from "../../_support/emulated.ts";

const FLAGS = ["-g0", "-nostdlib", "-static", "-ffreestanding", "-Wl,-z,max-page-size=4096"];
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  plain: ["-O2"],
  frames: ["-O1", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"],
  signed: ["-O2", "-mbranch-protection=standard"],
  restored: ["-O2", "-DRESTORER"],
};
const STOPS = { stops: "recurse,sized,many,leaf:3,on_signal,leaf", steps: 2 };
/** A processor without pointer authentication, and one with it: gdb's own walk needs the first one. */
const UNSIGNED = "cortex-a57", SIGNED = "max,sve=off,sme=off";

const all: Record<string, EmulatedRun> = {};
for (const [name, flags] of Object.entries(PROGRAMS)) {
  const program = `${ARM_VECTORS}/${name}`;
  const args = [...flags, ...FLAGS, "-o", program, `${ARM_VECTORS}/stacks.c`];
  new Deno.Command(ARM_COMPILER, { args }).outputSync();
  Deno.chmodSync(program, 0o755);
  const { samples, maps } = await stacksOf(program, Object.assign({ cpu: UNSIGNED }, STOPS));
  const signed = await stacksOf(program, Object.assign({ cpu: SIGNED }, STOPS));
  all[name] = {
    // The emulator's own mappings are of no use.
    maps: maps.split("\n").slice(0, 5).join("\n").replaceAll(`${ARM_VECTORS}/`, "/") + "\n",
    samples: signed.samples.map(({ registers, stack }, i) => {
      return { registers, stack: packedStack(stack), frames: samples[i].frames };
    }),
  };
  Deno.chmodSync(program, 0o644);
}
const text = JSON.stringify(all).replaceAll(/{"(?=registers|maps)/g, '\n{"');
Deno.writeTextFileSync(`${ARM_VECTORS}/stacks.json`, `${text}\n`);
