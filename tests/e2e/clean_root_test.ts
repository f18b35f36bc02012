/**
 * The Debian package in a root that knows nothing of us, by that root's own programs. Where it is:
 *
 *     debootstrap --variant=minbase --include=man-db,bash-completion,zsh,fish bookworm DIR
 *     JOULEMARK_TEST_CLEAN_ROOT=DIR ./tests/run.sh tests/e2e/clean_root_test.ts
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { BINARY, NO_BINARY } from "../_support/programs.ts";
import { outputOf } from "../_support/readers_of_others.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { NOT_ROOT, skippedWithout, unless } from "../_support/skipped.ts";

const SCRIPT = new URL("../../packaging/build.sh", import.meta.url).pathname;
const CLEAN_ROOT = Deno.env.get("JOULEMARK_TEST_CLEAN_ROOT");

/** A shell in the root, with its own /proc, as root or as a user without rights. */
function inRoot(root: string, script: string, isPlain = false): string {
  const user = "/bin/setpriv --reuid=4711 --regid=4711 --clear-groups ";
  const outer = `set -e
mount --make-rprivate /
mount -t proc proc '${root}/proc'
mount --rbind /dev '${root}/dev'
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 TERM=xterm MANPAGER=cat \\
  chroot '${root}' ${isPlain ? user : ""}/bin/bash -c "$1"
`;
  return outputOf("unshare", ["-m", "bash", "-c", outer, "bash", `cd /tmp\n${script}`]);
}

/** Completions by the shells' own machinery, out of the package's files. */
const COMPLETIONS = `set +o posix
. /usr/share/bash-completion/bash_completion
complete_line() {
  COMP_LINE=$1 COMP_POINT=\${#1} COMPREPLY=()
  read -ra COMP_WORDS <<< "$1"; COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _completion_loader joulemark
  local command; command=$(complete -p joulemark | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')
  $command joulemark "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  echo "bash \${COMPREPLY[*]}"
}
complete_line 'joulemark repl'
complete_line 'joulemark run --checkp'
fish -c "complete -C 'joulemark repl'" | sed 's/^/fish /'
fish -c "complete -C 'joulemark run --checkp'" | sed 's/^/fish /'
zsh -f zsh-completion | sed 's/^/zsh /'
`;

/** A terminal of zsh's own: what Tab makes of a line. */
const ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; autoload -U compinit; compinit -D -u; print rea''dy"
zpty -r -m z out '*ready*'
zpty -w -n z $'joulemark repl\\t'
zpty -r -m z out '*replay*'
print -r -- "$out"; zpty -d z
`;

Deno.test({
  ...skippedWithout(
    "packages installed, used as a plain user and removed in a clean root",
    NO_BINARY,
    unless(CLEAN_ROOT !== undefined, "JOULEMARK_TEST_CLEAN_ROOT names no root"),
    NOT_ROOT,
  ),
  fn: () =>
    withTimeLimit(() => {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-clean-" });
      const root = `${dir}/root`;
      try {
        outputOf("cp", ["-a", "--reflink=auto", CLEAN_ROOT!, root]);
        const [file] = outputOf(SCRIPT, ["--executable", BINARY, "--output", dir, "deb"]).split(
          "\n",
        );
        Deno.copyFileSync(file, `${root}/tmp/joulemark.deb`);
        const listed = () =>
          outputOf("sh", [
            "-c",
            `cd '${root}' && find . -path ./tmp -prune -o -path ./var/cache -prune -o ` +
            "-path ./var/log -prune -o -path ./var/lib/dpkg -prune -o -print | sort",
          ]);
        const before = listed();
        inRoot(root, "dpkg -i joulemark.deb");
        const used = inRoot(
          root,
          `joulemark --version
joulemark run -q --simulate -- sh -c 'exit 3'; echo status $?
sed -n 's/^Profile: /profile /p' joulemark.report
joulemark man | cmp - <(zcat /usr/share/man/man1/joulemark.1.gz) && echo page
man joulemark | head -n 5`,
          true,
        );
        assertMatch(used, /^joulemark \d/);
        assertMatch(used, /\nstatus 3\nprofile "[^"]+"\npage\n/);
        assertMatch(used, /joulemark .* where the time and the joules went, region by region/);
        Deno.writeTextFileSync(`${root}/tmp/zsh-completion`, ZSH);
        const completed = inRoot(root, COMPLETIONS, true);
        assertMatch(completed, /^bash replay$/m);
        assertMatch(completed, /^bash --checkpoint$/m);
        assertMatch(completed, /^fish replay\t/m);
        assertMatch(completed, /^fish --checkpoint\t/m);
        assertMatch(completed, /^zsh [^\n]*joulemark replay/m);
        const status = inRoot(
          root,
          "dpkg -V joulemark; dpkg -P joulemark >/dev/null 2>&1; echo $?",
        );
        assertEquals(status, "0\n");
        assertEquals(listed(), before);
        assert(before.includes("./usr/bin/dpkg\n"));
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    }, 240),
});
