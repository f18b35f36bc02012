/** Data that xz(1) packed, whole and damaged. */
import { assertEquals } from "@std/assert";
import { unxz } from "../../src/profile/xz.ts";
import { skippedWithout, succeeds, unless } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { Random } from "../fuzz/random.ts";

const NO_XZ = unless(succeeds("xz", "--version"), "no xz");
const LIMIT_S = 60;

/** `hello, joules` a hundred times, packed by `xz --check=crc32`. */
const PACKED =
  "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AV3AB1dADQZSe6N74xqEx+CcMgzTh88MFtjfWT8tVF3wnAAAAAAAIHG1BkAATX4CgAAADu5G4A+MA2LAgAAAAABWVo=";

/** Text, code and noise: literals, matches near and far, chunks that are not packed. */
function bytesOf(random: Random): Uint8Array<ArrayBuffer> {
  const text = Array.from({ length: 8_000 }, (_, i) => `function_${i % 9973} ${i}\n`).join("");
  const noise = Uint8Array.from({ length: 70_000 }, () => random.below(256));
  const code = Deno.readFileSync(Deno.execPath()).subarray(0, 60_000);
  const parts = [new TextEncoder().encode(text), noise, code, new Uint8Array(70_000)];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function packedBy(options: readonly string[], bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeFileSync(`${dir}/in`, bytes);
    return new Deno.Command("xz", { args: ["-c", ...options, `${dir}/in`] }).outputSync().stdout;
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("unxz() unpacks what it was made from", () => {
  const text = new TextDecoder().decode(unxz(Uint8Array.fromBase64(PACKED)));
  assertEquals(text, "hello, joules\n".repeat(100));
});

Deno.test({
  ...skippedWithout("unxz() unpacks what xz packs, with any options", NO_XZ),
  fn: () =>
    withTimeLimit(() => {
      const bytes = bytesOf(new Random(1));
      const all = [
        [],
        ["-9e"],
        ["--check=none"],
        ["-T2", "--block-size=90000", "--check=sha256"],
        ["--lzma2=lc=0,lp=3,pb=4"],
        ["--lzma2=lc=4,lp=0,pb=0,dict=4096"],
      ];
      for (const options of all) {
        assertEquals(unxz(packedBy(options, bytes)), bytes, options.join(" "));
      }
      assertEquals(unxz(packedBy([], new Uint8Array())), new Uint8Array());
    }, LIMIT_S),
});

Deno.test({
  ...skippedWithout("unxz() refuses other filters, and ends on damaged data", NO_XZ),
  fn: () =>
    withTimeLimit(() => {
      const random = new Random(2), bytes = bytesOf(random).subarray(0, 60_000);
      assertEquals(unxz(packedBy(["--x86", "--lzma2"], bytes)), undefined);
      const packed = packedBy([], bytes).slice();
      for (let i = 0; i < 200; i++) {
        const broken = packed.slice();
        for (let k = 0; k < 3; k++) broken[random.below(broken.length)] = random.below(256);
        const made = unxz(
          broken.subarray(0, i % 4 === 0 ? random.below(broken.length) : undefined),
        );
        // Checksums are not looked at.
        if (made !== undefined) assertEquals(made.length <= 2 * bytes.length, true);
      }
      assertEquals([unxz(new Uint8Array()), unxz(packed.subarray(0, 40))], [undefined, undefined]);
    }, LIMIT_S),
});
