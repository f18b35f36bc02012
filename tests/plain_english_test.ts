/**
 * Rules for text: README and docs/ have short sentences, the field's words and no history, and their links hold.
 * Comments of src/ stand alone, and constants and functions have plain names.
 */
import { assertEquals } from "@std/assert";
import { VERBS } from "../src/cli/all.ts";

const ROOT = new URL("..", import.meta.url);
const MAX_WORDS = 30;

/** Generated pages and pages of the estimator and the architecture: their words come from src/ or from their authors. */
const NOT_CHECKED = new Set([
  "docs/explanation/how-sure.md",
  "docs/reference/cli.md",
  "docs/reference/glossary.md",
  "docs/reference/signals.md",
]);

/** Pages that may hold dates: when a value was measured, when a version came out. */
const DATED = new Set(["docs/explanation/overhead.md", "CHANGELOG.md"]);

/** Words that are replaced by the field's word, after the project's table of words. */
const BANNED: Readonly<Record<string, string>> = {
  "told(?! apart)": "reported, determined",
  untold: "not determined",
  "mend(?:s|ed|ing)?": "fix",
  "remed(?:y|ies)": "fix",
  "held back": "throttled",
  "stood still": "stalled",
  "closed to you": "no permission",
  "dialects?": "annotation API",
  "interpos(?:e|es|ed|ition)": "intercept",
  torn: "truncated",
  sticker: "base frequency",
  anew: "again",
  surely: "significantly",
  "whoever|nobody's": "a noun",
  "so often as|as ever|but for|where that is|what is in the way": "plain words",
  "(?<!at )(?:least|greatest)(?![- ](?:privilege|squares?|significant))": "minimum, maximum",
  "beside (?:it|them|others)": "in addition",
  "until now|later that day|in the first form": "the present",
};

/** Paths of pages below the top. */
function pages(): string[] {
  const found = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
      if (isDirectory) walk(`${folder}${name}/`);
      else if (name.endsWith(".md")) found.push(`${folder}${name}`);
    }
  };
  walk("docs/");
  return found.sort();
}

const text = (path: string) => Deno.readTextFileSync(new URL(path, ROOT));

/** Prose without code, comments and generated tables; code and links in a sentence count as one word. */
function prose(page: string): string {
  return page
    .replace(/^<!-- .*? -->\n[^]*?^<!-- end -->/gm, "")
    .replace(/^ *```[^]*?^ *```/gm, "")
    .replace(/<!--[^]*?-->/g, "")
    .replace(/``[^]*?``|`[^`]*`/g, "CODE")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** Sentences of paragraphs and of list items; rows of tables and headings are left out. */
function sentences(page: string): string[] {
  return prose(page)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((block) => !/^\s*[|#]/.test(block))
    .flatMap((block) => block.replace(/\s+/g, " ").split(/(?<=[.!?:])\s+/));
}

/** Anchors of a page's headings, as code forges make them. */
function anchors(page: string): Set<string> {
  const headings = page.replace(/^ *```[^]*?^ *```/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "").trim().replaceAll(" ", "-")
    ),
  );
}

const CHECKED = pages().filter((path) => !NOT_CHECKED.has(path));

Deno.test(`sentences of the pages have at most ${MAX_WORDS} words`, () => {
  const long = CHECKED.flatMap((path) =>
    sentences(text(path))
      .filter((sentence) =>
        (sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'_-]*/gu) ?? []).length > MAX_WORDS
      )
      .filter((sentence) => !/^(?:CODE[,;.]? ?)+$/.test(sentence.trim()))
      .map((sentence) => `${path}: ${sentence}`)
  );
  assertEquals(long, []);
});

Deno.test("the pages use the words of the field", () => {
  const found = CHECKED.filter((path) => path !== "CHANGELOG.md").flatMap((path) => {
    const words = prose(text(path)).replace(/\s+/g, " ");
    return Object.entries(BANNED).flatMap(([word, instead]) =>
      [...words.matchAll(new RegExp(`.{0,40}\\b(?:${word})\\b.{0,20}`, "gi"))]
        .map(([place]) => `${path}: "${place}": write ${instead}`)
    );
  });
  assertEquals(found, []);
});

Deno.test("manuals have no dates", () => {
  const months =
    "January|February|March|April|May|June|July|August|September|October|November|December";
  const date = new RegExp(`\\b20\\d\\d-\\d\\d-\\d\\d\\b|\\b\\d{1,2} (?:${months}) 20\\d\\d`, "g");
  const found = pages().filter((path) => !DATED.has(path)).flatMap((path) =>
    [...prose(text(path)).matchAll(date)].map(([day]) => `${path}: ${day}`)
  );
  assertEquals(found, []);
});

Deno.test("each row of a table is one line", () => {
  const broken = pages().flatMap((path) =>
    text(path).replace(/^ *```[^]*?^ *```/gm, "").split("\n")
      .filter((line) => /^\s*\|/.test(line) && !/\|\s*$/.test(line))
      .map((line) => `${path}: ${line}`)
  );
  assertEquals(broken, []);
});

Deno.test("every link and anchor of the pages holds", () => {
  const broken = pages().flatMap((path) =>
    [...text(path).replace(/^ *```[^]*?^ *```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file, anchor] = link.split("#");
        const target = file === "" ? new URL(path, ROOT) : new URL(file, new URL(path, ROOT));
        try {
          Deno.statSync(target);
        } catch {
          return true;
        }
        return anchor !== undefined && !anchors(Deno.readTextFileSync(target)).has(anchor);
      })
      .map((link) => `${path}: ${link}`)
  );
  assertEquals(broken, []);
});

Deno.test("sources name pages that exist", () => {
  const missing: string[] = [];
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
      if (isDirectory) walk(`${folder}${name}/`);
      else {
        for (const [page] of text(`${folder}${name}`).matchAll(/\bdocs\/[\w./-]+\.md\b/g)) {
          try {
            Deno.statSync(new URL(page, ROOT));
          } catch {
            missing.push(`${folder}${name}: ${page}`);
          }
        }
      }
    }
  };
  walk("src/");
  assertEquals(missing, []);
});

Deno.test("every page of docs/ is two clicks from README", () => {
  const linked = (path: string) =>
    [...text(path).matchAll(/\]\(([^)\s#]+\.md)[^)]*\)/g)]
      .filter(([, link]) => !/^[a-z]+:/.test(link))
      .map(([, link]) => new URL(link, new URL(path, ROOT)).pathname.slice(ROOT.pathname.length));
  const near = new Set(["README.md", ...linked("README.md")]);
  for (const path of [...near]) for (const next of linked(path)) near.add(next);
  assertEquals(pages().filter((path) => path.startsWith("docs/") && !near.has(path)), []);
});

/** Commands of a page: the words after `joulemark`, up to the program that it starts or to the next command. */
function commandsOf(page: string): string[][] {
  const blocks = [...text(page).matchAll(/^ *```(\S*).*\n([^]*?)^ *```/gm)]
    .filter(([, language]) => ["", "sh", "yaml", "console"].includes(language));
  const cells = [...text(page).matchAll(/`(joulemark [^`\n]*)`/g)].map(([, code]) => code);
  const lines = blocks.flatMap(([, , block]) => block.replaceAll("\\\n", " ").split("\n"));
  return [...lines, ...cells].flatMap((line) => {
    const code = line.replace(/(?:^|\s)#.*$/, "").replaceAll(/"[^"]*"|'[^']*'/g, "TEXT");
    return [...code.matchAll(/(?:^|[\s(])joulemark ((?:(?! -- | \| | > | && | -- *$)[^`);])*)/g)]
      .map(([, words]) => words.trim().split(/\s+/));
  });
}

Deno.test("commands of the pages name subcommands and options that exist", async () => {
  const verbs = new Map(
    await Promise.all(VERBS.map(async (entry) => {
      const { options } = await entry.load();
      const names = options.flatMap((
        { name, short },
      ) => [`--${name}`, ...short ? [`-${short}`] : []]);
      return [entry.name, new Set([...names, "--json", "--help"])] as const;
    })),
  );
  const wrong = pages().filter((path) => !NOT_CHECKED.has(path)).flatMap((path) =>
    commandsOf(path).flatMap(([verb, ...words]) => {
      const options = verbs.get(verb);
      if (options === undefined) {
        return /^[a-z]+$/.test(verb) ? [`${path}: joulemark ${verb}`] : [];
      }
      if (verb === "query") return [];
      return words.filter((word) => /^--?[a-z]/i.test(word))
        .map((word) => word.replace(/=.*/, ""))
        .filter((word) => !options.has(word))
        .map((word) => `${path}: joulemark ${verb} ${word}`);
    })
  );
  assertEquals(wrong, []);
});

/** A doc comment begins with a noun or a verb, so that it can be understood alone. */
const POINTS_OUTSIDE =
  /^(?:Also|And|As|Both|But|Else|How|Its?|Likewise|None?|Not|Of|One of|Or|She|So|Such|That|The same|Their|They|Those|What|Where|Whether|Which|Who|Whose|Whoever)\b/;

/** Sources of src/, by path, that are TypeScript. */
function sources(): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
      if (isDirectory) walk(`${folder}${name}/`);
      else if (name.endsWith(".ts")) found.set(`${folder}${name}`, text(`${folder}${name}`));
    }
  };
  walk("src/");
  return found;
}

/** Comments and code of a source; texts between quotes are left out of both. */
function partsOf(source: string): { comments: string[]; code: string } {
  const comments: string[] = [];
  const piece =
    /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;
  const code = source.replace(piece, (found) => {
    if (/^\/[*/]/.test(found)) comments.push(found);
    return " ";
  });
  return { comments, code };
}

Deno.test("doc comments begin with what they describe", () => {
  const pointing = [...sources()].flatMap(([path, source]) =>
    partsOf(source).comments.filter((comment) => comment.startsWith("/**"))
      .map((comment) => comment.replace(/^\/\*\*|\*\/$|^ *\* ?/gm, "").trim())
      .filter((words) => POINTS_OUTSIDE.test(words))
      .map((words) => `${path}: ${words.slice(0, 60)}`)
  );
  assertEquals(pointing, []);
});

/** Words of own making that no comment has. */
const NOT_IN_COMMENTS =
  /\b(?:untold|cannot be told|mend(?:s|ed)?|held back|stood still|anew|surely|whoever|nobody's|so often as|crew|where that is|as ever|but for|what is in the way|(?<!at )(?:least|greatest)(?![- ](?:squares?|privilege|common|significant|upper|lower)))\b/i;

Deno.test("comments use the words of the field", () => {
  const found = [...sources()].flatMap(([path, source]) => {
    const comments = partsOf(source).comments.map((comment) =>
      comment.replace(/\s*\n *(?:\*|\/\/)? */g, " ")
    );
    return comments.filter((comment) => NOT_IN_COMMENTS.test(comment))
      .map((comment) => `${path}: ${comment.slice(0, 100)}`);
  });
  assertEquals(found, []);
});

Deno.test("constants say what is limited, and only log() speaks to people", () => {
  const found = [...sources()].flatMap(([path, source]) => {
    const { code } = partsOf(source);
    const constants =
      /^(?:export )?const (?:[A-Z_\d]+ = [^,;]+, )?((?:MOST|LEAST|FEW|MANY|SOON|DOUBT|EITHER|SHAPE|PLACES|AROUND|LONGEST)(?:_\w+)?)\b/gm;
    return [
      ...[...code.matchAll(constants)].map(([, name]) =>
        `${path}: ${name}: MAX_ or MIN_, noun, unit`
      ),
      ...[...code.matchAll(/\b(?:tell|told|untold|mend|mended)[A-Z]?\w*\s*\(/g)]
        .map(([call]) => `${path}: ${call}: log(), emit() or report()`),
    ];
  });
  assertEquals(found, []);
});

Deno.test("the help uses the words of the field", async () => {
  const wrong = await Promise.all(VERBS.map(async (entry) => {
    const { about, notes, options } = await entry.load();
    const texts = [entry.summary, about, notes ?? "", ...options.map(({ help }) => help)];
    return texts.flatMap((help) =>
      Object.entries(BANNED).flatMap(([word, instead]) =>
        [...help.matchAll(new RegExp(`\\b(?:${word})\\b`, "gi"))]
          .map(([place]) => `joulemark ${entry.name} --help: "${place}": write ${instead}`)
      )
    );
  }));
  assertEquals(wrong.flat(), []);
});
