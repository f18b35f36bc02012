/**
 * A tree for `--root` whose two packages draw known power by the clock, and whose counters break when
 * a test says so: what docs/reference/coverage.md has rules for.
 *
 * @module
 */
import { parseReport } from "../../src/formats/report.ts";
import type { ReportFields } from "../../src/core/report.ts";
import type { Nested } from "../../src/core/report.ts";
import { BINARY, joulemark } from "./programs.ts";

const ZONE = "/sys/class/powercap/intel-rapl";
/** What each package draws, W. */
export const WATTS = 100;
const RANGE_UJ = 262143328850;
const START_UJ = [1e9, 2e9];
const WRITE_MS = 10;

/**
 * The energy file of a package, seconds after the command began: its true content in, what is to
 * stand there out; `undefined`: no file.
 */
export type Fault = (pkg: number, seconds: number, trueUj: number) => string | undefined;

/** What a run over a tree with a fault left. */
export interface Faulty {
  readonly application: ReportFields;
  readonly joulemark: { [key: string]: Nested };
  readonly stderr: string;
  readonly text: string;
}

function write(path: string, text: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(`${path}.new`, text);
  Deno.renameSync(`${path}.new`, path);
}

/** What does not change: CPUs of the machine's number in two packages, and limits of 150 W. */
function layOut(root: string): void {
  const cpus = Math.max(2, navigator.hardwareConcurrency + navigator.hardwareConcurrency % 2);
  write(`${root}/sys/devices/system/cpu/online`, `0-${cpus - 1}\n`);
  const info: string[] = [];
  for (let cpu = 0; cpu < cpus; cpu++) {
    const pkg = cpu < cpus / 2 ? 0 : 1;
    const dir = `${root}/sys/devices/system/cpu/cpu${cpu}/topology`;
    write(`${dir}/physical_package_id`, `${pkg}\n`);
    write(`${dir}/core_id`, `${cpu}\n`);
    write(`${dir}/thread_siblings_list`, `${cpu}\n`);
    info.push(`processor\t: ${cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n`);
  }
  write(`${root}/proc/cpuinfo`, info.join("\n"));
  for (const pkg of [0, 1]) {
    write(`${root}${ZONE}:${pkg}/name`, `package-${pkg}\n`);
    write(`${root}${ZONE}:${pkg}/max_energy_range_uj`, `${RANGE_UJ}\n`);
    write(`${root}${ZONE}:${pkg}/constraint_0_max_power_uw`, "150000000\n");
  }
}

/** Runs a command that lasts some seconds while the tree changes. */
export async function runOver(
  dir: string,
  { seconds, fault, options = [], during, command = [BINARY] }: {
    seconds: number;
    fault: Fault;
    options?: readonly string[];
    /** Something more to do: it gets the monitor's process, and when the command began. */
    during?: (pid: number) => Promise<void>;
    /** Words that run the executable. */
    command?: readonly string[];
  },
): Promise<Faulty> {
  const root = `${dir}/tree`;
  layOut(root);
  const start = performance.now();
  let begun = Infinity;
  const turn = () => {
    const now = performance.now();
    if (begun === Infinity && exists(`${dir}/begun`)) begun = now;
    for (const pkg of [0, 1]) {
      const trueUj = Math.floor(START_UJ[pkg] + (now - start) * WATTS * 1e3);
      const since = begun === Infinity ? -1 : (now - begun) / 1e3;
      const text = fault(pkg, since, trueUj);
      const path = `${root}${ZONE}:${pkg}/energy_uj`;
      if (text !== undefined) write(path, text);
      else if (exists(path)) Deno.removeSync(path);
    }
  };
  turn();
  const timer = setInterval(turn, WRITE_MS);
  try {
    const child = new Deno.Command(command[0], {
      args: [
        ...[...command.slice(1), "run", "--root", root, ...options, "--", "sh", "-c"],
        `: >begun; exec sleep ${seconds}`,
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const output = child.output();
    await during?.(child.pid);
    const { code, stderr } = await output;
    const said = new TextDecoder().decode(stderr);
    if (code !== 0) throw new Error(said);
    return { ...read(`${dir}/joulemark.report`), stderr: said };
  } finally {
    clearInterval(timer);
  }
}

/** The same run from its recording. */
export function replayed(dir: string, recording: string): Faulty {
  const out = joulemark(dir, ["replay", recording, "--report", "again.report"]);
  if (out.code !== 0) throw new Error(out.stderr);
  return { ...read(`${dir}/again.report`), stderr: out.stderr };
}

function read(path: string): Omit<Faulty, "stderr"> {
  const text = Deno.readTextFileSync(path);
  const [host] = parseReport(text, path).hosts;
  return { application: host.application, joulemark: host.joulemark!, text };
}

/** Is there such a file? */
export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
