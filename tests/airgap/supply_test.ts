/** What the executable is made of is pinned, and said. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeSbom } from "../../airgap/sbom.ts";
import { timed } from "../_support/time_limit.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const MAP = `${ROOT}airgap/deno.json`;

timed("every package of the import map is in the lock file, with its integrity", () => {
  const config = JSON.parse(Deno.readTextFileSync(MAP));
  assertEquals(config.lock, { path: "./deno.lock", frozen: true });
  const lock = JSON.parse(Deno.readTextFileSync(`${ROOT}airgap/deno.lock`));
  const wanted = Object.values<string>(config.imports).filter((to) => /^(npm|jsr):/.test(to));
  assert(wanted.length > 0);
  for (const target of wanted) {
    const { integrity } = lock.npm[target.replace(/^npm:\/?|\/$/g, "")];
    assertMatch(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
  }
});

timed("makeSbom() names joulemark, Deno and the packages, and is the same twice", async () => {
  const executable = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(executable, "abc");
    const text = await makeSbom({ executable, map: MAP, deno: "2.9.6" });
    assertEquals(await makeSbom({ executable, map: MAP, deno: "2.9.6" }), text);
    const bom = JSON.parse(text);
    assertEquals([bom.bomFormat, bom.specVersion, bom.version], ["CycloneDX", "1.5", 1]);
    assertEquals(bom.metadata.component.name, "joulemark");
    const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assertEquals(bom.metadata.component.hashes, [{ alg: "SHA-256", content: sum }]);
    const refs: string[] = bom.components.map((c: { "bom-ref": string }) => c["bom-ref"]);
    assertEquals(refs[0], "deno@2.9.6");
    assert(refs.some((ref) => ref.startsWith("pkg:npm/yaml@")));
    for (const c of bom.components.slice(1)) assertMatch(c.hashes[0].content, /^[0-9a-f]{128}$/);
    assertEquals(bom.dependencies[0].dependsOn, refs);
    assert(refs.some((ref) => ref.startsWith("pkg:npm/d3-scale@")));
    // Types are not in the executable.
    assert(!refs.some((ref) => ref.includes("types")), refs.join());
    for (const { name, version, purl } of bom.components.slice(1)) {
      assertMatch(name, /^(@[\w-]+\/)?[\w-]+$/);
      assertMatch(version, /^\d+\.\d+\.\d+$/);
      assertEquals(purl, `pkg:npm/${name.replace("@", "%40")}@${version}`);
    }
  } finally {
    Deno.removeSync(executable);
  }
});

timed("a script that is not the pinned installer is not used", () => {
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${dir}/install.sh`, "echo other\n");
    const sum = new Deno.Command("sha256sum", { args: [`${dir}/install.sh`] }).outputSync();
    const right = new TextDecoder().decode(sum.stdout).slice(0, 64);
    const hasSum = (expected: string) => {
      const script =
        `ROOT=${ROOT}; . ${ROOT}airgap/find_deno.sh; has_sum ${dir}/install.sh ${expected}`;
      const { code, stderr } = new Deno.Command("sh", { args: ["-c", script] }).outputSync();
      return { code, text: new TextDecoder().decode(stderr) };
    };
    assertEquals(hasSum(right), { code: 0, text: "" });
    const wrong = hasSum(right.replace(/./, (c) => c === "0" ? "1" : "0"));
    assertEquals(wrong.code, 1);
    assertMatch(wrong.text, /not the file expected: SHA-256 .*, found .*; it is not used/);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
