/**
 * Watches over a process that runs cases: what it prints, how it ends, and whether it goes on. A
 * case that kills it or never ends is a finding, after which the next process begins behind it.
 */

import type { Finding } from "./oracle.ts";

export interface Watched {
  /** Cases that were run. */
  cases: number;
  findings: (Finding & { number: number })[];
}

const SCRIPT = decodeURIComponent(new URL("./run.ts", import.meta.url).pathname);
/** More findings than these say nothing new. */
const MAX_FINDINGS = 200;

/**
 * Runs cases until there were so many, or so long.
 *
 * @param options.found Gets each finding at once. @default none
 * @param options.hangSeconds So long may one case last before its process is ended. @default 30
 * @param options.script What runs the cases. @default run.ts
 */
export async function watch(
  options: {
    seed: number;
    first?: number;
    cases?: number;
    seconds?: number;
    found?: (finding: Watched["findings"][number]) => void;
    hangSeconds?: number;
    script?: string;
  },
): Promise<Watched> {
  const { seed, first = 0, cases = Infinity, seconds = Infinity, found = () => {} } = options;
  const place = await Deno.makeTempFile(), end = performance.now() + seconds * 1000;
  const result: Watched = { cases: 0, findings: [] };
  const take = (finding: Watched["findings"][number]) => {
    result.findings.push(finding);
    found(finding);
  };
  try {
    for (let next = first; next < first + cases && result.findings.length < MAX_FINDINGS;) {
      const left = (end - performance.now()) / 1000;
      if (left <= 0) break;
      const { done, died } = await runProcess(
        [seed, next, Math.min(first + cases - next, Number.MAX_SAFE_INTEGER), left, place].map(
          String,
        ),
        { place, take, script: options.script ?? SCRIPT, hangSeconds: options.hangSeconds ?? 30 },
      );
      if (died !== null) take(died);
      const ran = died === null ? done : died.number - next + 1;
      result.cases += ran;
      next += ran;
      if (died === null) break;
    }
  } finally {
    await Deno.remove(place);
  }
  return result;
}

async function runProcess(
  args: string[],
  { place, take, script, hangSeconds }: {
    place: string;
    take: (finding: Watched["findings"][number]) => void;
    script: string;
    hangSeconds: number;
  },
): Promise<{ done: number; died: Watched["findings"][number] | null }> {
  const child = new Deno.Command(Deno.execPath(), {
    // A heap that is small for a server and great for a query of a few hundred kilobytes.
    args: ["run", "-A", "--no-lock", "--no-check", "--v8-flags=--max-old-space-size=512", script]
      .concat(args),
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let before = -1, still = 0, hung = false;
  const timer = setInterval(() => {
    const now = placeIn(place);
    still = now === before ? still + 1 : 0;
    before = now;
    if (still < hangSeconds) return;
    hung = true;
    child.kill("SIGKILL");
  }, 1000);
  const words = new Response(child.stderr).text();
  let done = 0;
  for await (const line of linesOf(child.stdout)) {
    const entry = JSON.parse(line);
    if ("done" in entry) done = entry.done;
    else take(entry);
  }
  const [{ success }, stderr] = await Promise.all([child.status, words]);
  clearInterval(timer);
  if (success) return { done, died: null };
  const what = hung ? `no end within ${hangSeconds} s` : "the process died";
  return { done, died: { number: placeIn(place), what, detail: stderr.slice(0, 2000) } };
}

function placeIn(file: string): number {
  const bytes = Deno.readFileSync(file);
  return bytes.length < 8 ? -1 : new Float64Array(bytes.buffer, 0, 1)[0];
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
