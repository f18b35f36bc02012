/** The base runtime for `deno compile`: out of its archive, with the guardian in front of it. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { unzip } from "../../airgap/pack/unzip.ts";
import { timed, withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";

const PACK = new URL("../../airgap/pack/pack.ts", import.meta.url).pathname;

/** A zip archive of one file: local header, data, central directory, end record. */
async function zip(name: string, content: Uint8Array<ArrayBuffer>, deflated: boolean) {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const data = deflated ? new Uint8Array(await new Response(stream).arrayBuffer()) : content;
  const bytes = new TextEncoder().encode(name);
  const header = (signature: number, size: number, shift: number) => {
    const view = new DataView(new ArrayBuffer(size));
    view.setUint32(0, signature, true);
    view.setUint16(8 + shift, deflated ? 8 : 0, true);
    view.setUint32(18 + shift, data.length, true);
    view.setUint32(22 + shift, content.length, true);
    view.setUint16(26 + shift, bytes.length, true);
    return view;
  };
  const local = header(0x04034b50, 30, 0);
  const entry = header(0x02014b50, 46, 2);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, 1, true);
  end.setUint32(16, 30 + bytes.length + data.length, true);
  const parts = [local.buffer, bytes, data, entry.buffer, bytes, end.buffer];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

timed("unzip() gives a file that is stored or deflated, and says what is not there", async () => {
  const content = new TextEncoder().encode("denort ".repeat(1000));
  for (const deflated of [false, true]) {
    assertEquals(await unzip(await zip("denort", content, deflated), "denort"), content);
  }
  const other = await zip("other", content, true);
  const missing = await assertRejects(() => unzip(other, "denort"), Error);
  assertStringIncludes(missing.message, 'expected a file "denort"');
  await assertRejects(() => unzip(content, "denort"), Error, "expected a zip archive");
});

Deno.test({
  ...skippedWithout(
    "a prepared runtime starts behind the guardian, which hands on the state of signals",
    unless(Deno.build.arch === "x86_64", "Deno starts on x86-64 only here"),
  ),
  fn: () =>
    withTimeLimit(async () => {
      const out = await Deno.makeTempFile();
      const made = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-config", "-A", PACK, "--out", out, "--prepare", Deno.execPath()],
        stderr: "piped",
      }).output();
      assertEquals(made.code, 0, new TextDecoder().decode(made.stderr));
      // What stands in for the base runtime here is Deno itself, which does not know the argument.
      const { code, stderr } = await new Deno.Command(out, { args: ["--version"] }).output();
      assertEquals(code, 1);
      assertStringIncludes(new TextDecoder().decode(stderr), "--joulemark-inherited=");
      await Deno.remove(out);
    }),
});
