/**
 * Pictures for pages: what the tool prints of a simulated node, the same each time. `deno task docs`
 * puts them into the pages, a test holds the pages to them.
 *
 * In a page a picture stands between `<!-- picture NAME -->` and `<!-- end -->`.
 */
import { replay } from "../../src/cli/replay.ts";
import { show } from "../../src/cli/show/show.ts";
import { Courses, Draw, page } from "../../src/cli/top/top_page.ts";
import { MachineHost } from "../../src/os/host.ts";
import { READERS } from "../../src/sources/readers/with_raw.ts";
import { buildCatalogue } from "../../src/sources/signals/catalogue.ts";
import { makeProgram } from "./sim_programs.ts";
import { recordProgram } from "./sim_recording.ts";
import { DirectoryTreeWriter } from "../../src/sources/sim/run_tree_writer.ts";
import { SimulatedNode } from "../../src/sources/sim/simulated_node.ts";
import { presetSpec } from "../../src/sources/sim/spec.ts";
import { capture } from "./capture.ts";
import { parseReport } from "../../src/formats/report.ts";
import { summary } from "../../src/show/analysis/summary.ts";
import { summaryFacts } from "../../src/show/analysis/summary_facts.ts";

const SEED = 20261122;
const SECONDS = 20;
const PICTURE = /<!-- picture (\w+) -->\n[^]*?<!-- end -->/g;

/** A page with its pictures made anew. */
export async function withPictures(path: string): Promise<string> {
  const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  const made = await pictures();
  return text.replace(PICTURE, (_, name) => {
    if (made[name] === undefined) throw new Error(`${path}: no picture ${name}`);
    return `<!-- picture ${name} -->\n\`\`\`\n${made[name].trimEnd()}\n\`\`\`\n<!-- end -->`;
  });
}

let known: Promise<Record<string, string>> | undefined;

/** All pictures by name. */
function pictures(): Promise<Record<string, string>> {
  return known ??= make();
}

async function make(): Promise<Record<string, string>> {
  const dir = Deno.makeTempDirSync();
  try {
    writeNested(`${dir}/lu.rec`);
    await capture(replay, ["-q", "--report", `${dir}/lu.report`, `${dir}/lu.rec`]);
    const report = Deno.readTextFileSync(`${dir}/lu.report`);
    const shown = (await capture(show, ["-q", `${dir}/lu.report`])).stdout;
    const section = (from: RegExp, lines: number) => {
      const all = report.split("\n");
      const at = all.findIndex((line) => from.test(line));
      return all.slice(at, at + lines).join("\n");
    };
    return {
      summary: summary(summaryFacts(parseReport(report)), {
        look: { width: 80, ascii: false, color: false },
        reportPath: "lu.report",
      }),
      region: section(/region: "step"/, 8),
      tree: section(/^ {12}region: solve/, 24),
      top: topPicture(dir),
      shown,
      report,
    };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** Five regions of known power, two of them inside `step`. */
function writeNested(path: string): void {
  const made = makeProgram("random 1-50 ms", { seed: SEED, seconds: SECONDS });
  const { yaml, events, samples } = recordProgram(made, { dither: 0.25 });
  const pid = made.processes[0].pid;
  const [header, ...rows] = events.trimEnd().split("\n");
  const lines = [header];
  for (const row of rows) {
    const [time, , kind, name] = row.split(",");
    const isStep = name === "solve" || name === "exchange";
    if (kind === "enter" && isStep) lines.push(`${time},${pid},enter,step,,`);
    lines.push(row);
    if (kind === "exit" && isStep) lines.push(`${time},${pid},exit,step,,`);
    if (kind === "start") lines.push(`${time},${pid},region,step,UNKNOWN,`);
  }
  Deno.mkdirSync(path);
  Deno.writeTextFileSync(`${path}/recording.yaml`, yaml.replace(/^profile: .*$/m, "profile: lu"));
  Deno.writeTextFileSync(`${path}/events.csv`, lines.join("\n") + "\n");
  Deno.writeTextFileSync(`${path}/samples.csv`, samples);
}

/** The page of `top`, 80 × 18, of a node whose load goes up and down. */
function topPicture(dir: string): string {
  const root = `${dir}/node`;
  Deno.mkdirSync(root);
  using writer = new DirectoryTreeWriter(root);
  const node = new SimulatedNode(presetSpec("both", 8), writer, { startNs: 0 });
  node.layOut();
  const host = new MachineHost(root);
  const catalogue = buildCatalogue({ host, readers: READERS });
  using draw = new Draw(host, catalogue);
  const courses = new Courses();
  for (let second = 0; second < 24; second++) {
    const busy = Math.round(4 + 4 * Math.sin(second / 3));
    for (let cpu = 0; cpu < 8; cpu++) {
      node.edge(second * 1e9, cpu, cpu < busy ? "solve" : "exchange");
    }
    node.publish((second + 1) * 1e9);
    draw.read(second + 1);
    if (second > 0) courses.add(draw.values());
  }
  const threads = (pid: number, region: string) => [
    { thread: pid, regions: ["step", region], attributes: {}, values: {} },
  ];
  const processes = ["solve", "solve", "solve", "exchange"].map((region, rank) => {
    return { pid: 4711 + rank, rank: String(rank), threads: threads(4711 + rank, region) };
  });
  const view = { sort: "process" as const, filter: "", isTyping: false, isPaused: false };
  const content = { title: "joulemark top  node01", quantities: draw.values(), courses, processes };
  return page({ ...content, isRunning: true, isUnicode: true, view }, { columns: 80, rows: 18 })
    .join("\n");
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await pictures())) console.log(`== ${name}\n${text}`);
}
