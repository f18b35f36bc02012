/** Taste that a program can check; each finding names its file, its line and the rule. */
import { assertEquals } from "@std/assert";
import { walkSync } from "@std/fs";

const ROOT = new URL("../", import.meta.url).pathname;
/** A file of more lines says why in its first comment, in a sentence with these words. */
const REASON = "In one file because";
const LONG_FILE_LINES = 600;

/** A line that breaks a rule, or a whole file. */
interface Rule {
  says: string;
  /** Paths below the top that the rule is for. */
  files: RegExp;
  /** Paths that are exempt. */
  except?: RegExp;
  line: RegExp;
}

// Written in pieces, so that this file does not find itself.
const HOSTS = ["js" + "r\\.io", "npm" + "js\\.(org|com)", "deno" + "\\.land", "crates" + "\\.io"];

const RULES: Rule[] = [
  {
    says: "no path of a machine",
    files: /./,
    line: new RegExp(`(?<![\\w.$}])/(wor${"k"}|ho${"me"}/\\w+|roo${"t"}/\\w+)/`),
    except: /^tests\//, // fixtures are file-system roots, and vectors may hold any path
  },
  { says: "no host of a package registry", files: /./, line: new RegExp(HOSTS.join("|")) },
  {
    says: "a doc comment says what the thing is",
    files: /\.ts$/,
    line: new RegExp("See the " + "module"),
  },
  { says: "a TODO names its issue, TODO(#12)", files: /\.ts$/, line: /\bTODO\b(?!\(#\d+\))/ },
  {
    says: "libraries are opened and programs started in src/os/ only",
    files: /^src\/.*\.ts$/,
    except: /^src\/os\//,
    line: /\bDeno\.(dlopen|Command)\b/,
  },
  {
    says: "a literal is not spread into a literal: one field a line",
    files: /\.ts$/,
    line: new RegExp("\\.\\.\\.\\{ ?\\w+[,:} ]"),
    except: /^airgap\/pack\/code_cache\.ts$/,
  },
  {
    says: "import.meta is for modules, and the packed program is a script",
    files: /^src\/.*\.ts$/,
    line: /\bimport\.meta\b/,
  },
];

/** Texts of the project that people wrote; fixtures and golden outputs are others' words. */
function* ownFiles(): Generator<[string, string]> {
  const skip = [
    /\/\.(git|deno)(\/|$)/,
    /\/tests\/(fixtures|golden|vectors)(\/|$)/,
    /\/joulemark(\.|$)/,
  ];
  for (const { path } of walkSync(ROOT.slice(0, -1), { includeDirs: false, skip })) {
    const name = path.slice(ROOT.length);
    if (/(\.(ts|json|sh|md|c|h|in|ld|py|f90|hex)|^LICENSE|^\.ci\/run|^\.gitignore)$/.test(name)) {
      yield [name, Deno.readTextFileSync(path)];
    }
  }
}

/** Lines of a text that break rules. */
export function findings(name: string, text: string): string[] {
  const found: string[] = [];
  const lines = text.split("\n");
  for (const { says, files, except, line } of RULES) {
    if (!files.test(name) || except?.test(name) || name === "tests/style_test.ts") continue;
    lines.forEach((content, i) => {
      if (line.test(content)) found.push(`${name}:${i + 1}: ${says}: ${content.trim()}`);
    });
  }
  const isTable = name.startsWith("src/sources/readers/tables/") || name.endsWith("_table.ts");
  const isLong = lines.length - 1 > LONG_FILE_LINES && !isTable && !text.includes(REASON);
  if (name.startsWith("src/") && name.endsWith(".ts") && isLong) {
    found.push(`${name}: above ${LONG_FILE_LINES} lines a file says why: "${REASON} …"`);
  }
  return found;
}

Deno.test("the project's files keep to the rules that can be checked", () => {
  assertEquals([...ownFiles()].flatMap(([name, text]) => findings(name, text)), []);
});

Deno.test("end-to-end tests run the executable, and each has a time limit", () => {
  const found: string[] = [];
  for (const [name, text] of ownFiles()) {
    if (!/^tests\/e2e\/\w+_test\.ts$/.test(name)) continue;
    if (
      !/\bBINARY\b|\b(joulemark|preloaded|onPrivateNode|runOver|asEachUser|judged)\(/.test(text)
    ) {
      found.push(`${name}: runs the executable`);
    }
    if (/\bDeno\.test\(/.test(text) && !text.includes("withTimeLimit(")) {
      found.push(`${name}: a time limit`);
    }
  }
  assertEquals(found, []);
});

Deno.test("a test that is skipped says why", () => {
  const found = [...ownFiles()].filter(([name, text]) => {
    return name.startsWith("tests/") && name !== "tests/_support/skipped.ts" &&
      name !== "tests/style_test.ts" && /^\s*ignore: /m.test(text);
  });
  assertEquals(found.map(([name]) => `${name}: use skippedWithout()`), []);
});

Deno.test("every file of src/ begins by saying what it is", () => {
  const silent = [...ownFiles()]
    .filter(([name, text]) => /^src\/.*\.ts$/.test(name) && !/^(\/\*\*|\/\/)/.test(text))
    .map(([name]) => name);
  assertEquals(silent, []);
});

Deno.test("findings() finds what breaks each rule, and only that", () => {
  const bad: [string, string][] = [
    ["src/a/b.ts", `const x = "/wor${"k"}/main/x";`],
    ["docs/a.md", `see js${"r"}.io`],
    ["src/a/b.ts", "// TODO: later"],
    ["src/a/b.ts", "Deno.dlopen(path, {});"],
    ["src/a/b.ts", "const here = import.meta.url;"],
    ["src/a/b.ts", "x\n".repeat(LONG_FILE_LINES + 1)],
  ];
  for (const [name, text] of bad) assertEquals(findings(name, text).length, 1, text.slice(0, 40));
  const good: [string, string][] = [
    ["src/a/b.ts", "// TODO(#12): later; a workload, homework/x"],
    ["src/os/libc.ts", "Deno.dlopen(path, {});"],
    ["src/sources/readers/tables/x.ts", "x\n".repeat(LONG_FILE_LINES + 1)],
    ["src/sources/readers/x_table.ts", "x\n".repeat(LONG_FILE_LINES + 1)],
  ];
  for (const [name, text] of good) assertEquals(findings(name, text), []);
});

Deno.test("all that start a program have a time limit", () => {
  const limited = /\b(endToEnd|asEachUser|withTimeLimit|timed|needing|besidePeer|onPrivateNode)\(/;
  const without = [...walkSync(new URL(".", import.meta.url).pathname, { exts: [".ts"] })]
    .filter(({ name }) => name.endsWith("_test.ts"))
    .filter(({ path }) => {
      const text = Deno.readTextFileSync(path);
      return text.includes("new Deno.Command(") && !limited.test(text);
    });
  assertEquals(without.map(({ path }) => path), []);
});
