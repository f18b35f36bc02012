/** The command that makes a release, in a copy of the files that it changes. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { outputOf, without } from "../_support/readers_of_others.ts";
import { skippedWithout } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const FILES = ["CHANGELOG.md", "deno.json", "src/core/version.ts", "docs/how-to/for-centres.md"];

Deno.test({
  ...skippedWithout("packaging/release.sh sets the version, commits and tags", without("git")),
  async fn() {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-release-" });
    const git = (...args: string[]) =>
      outputOf("git", ["-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    const release = (...args: string[]) => {
      const { code, stderr } = new Deno.Command(`${dir}/packaging/release.sh`, {
        args,
        env: {
          GIT_AUTHOR_NAME: "a",
          GIT_AUTHOR_EMAIL: "a@b",
          GIT_COMMITTER_NAME: "a",
          GIT_COMMITTER_EMAIL: "a@b",
        },
        stdout: "null",
      }).outputSync();
      return { code, stderr: new TextDecoder().decode(stderr) };
    };
    try {
      await withTimeLimit(() => {
        for (const folder of ["src/core", "docs/how-to"]) {
          Deno.mkdirSync(`${dir}/${folder}`, { recursive: true });
        }
        outputOf("cp", ["-r", `${ROOT}packaging`, dir]);
        for (const file of FILES) Deno.copyFileSync(`${ROOT}${file}`, `${dir}/${file}`);
        git("init", "-q");
        git("add", "-A");
        git("commit", "-qm", "start");
        assertMatch(release("9.8.7").stderr, /has no section "## 9\.8\.7 \(unreleased\)"/);
        const log = `${dir}/CHANGELOG.md`;
        const section = "# Changelog\n\n## 9.8.7 (unreleased)\n\n- one thing\n\n## 0.1.0\n";
        Deno.writeTextFileSync(log, section);
        assertStringIncludes(release("9.8.7").stderr, "the working tree has changes");
        git("commit", "-qam", "log");
        assertEquals(release("9.8.7", "2030-01-02"), { code: 0, stderr: "" });
        for (const file of ["deno.json", "src/core/version.ts", "packaging/spack/package.py"]) {
          assertStringIncludes(Deno.readTextFileSync(`${dir}/${file}`), '"9.8.7"');
        }
        assert(Deno.statSync(`${dir}/packaging/easybuild/joulemark-9.8.7.eb`).isFile);
        assertStringIncludes(Deno.readTextFileSync(log), "## 9.8.7 (2030-01-02)\n");
        assertEquals(git("tag", "-l", "--format=%(contents:body)", "v9.8.7").trim(), "- one thing");
        assertMatch(release("9.8.7").stderr, /the tag v9\.8\.7 exists/);
        assertEquals(release("9.8").code, 2);
      });
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
});
