/**
 * Spans that come fast, in a file of its own: what a test before it left to collect in this very process takes
 * the CPU that the monitor needs.
 */
import { assert, assertEquals } from "@std/assert";
import type { Nested } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const PERIOD_S = 0.002, RATE = 200_000;

endToEnd("a budget loses no span: 200,000 a second are all in the report", (dir) => {
  const app = build("flood", dir);
  // Long enough that the start's own CPU time is used up on a fast machine too.
  const out = joulemark(dir, [
    ...["run", "-q", "--budget", "0.2", "--period", `${PERIOD_S}`],
    ...["--", app, "spans", `${RATE}`, "6"],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const path = `${dir}/joulemark.report`;
  const [host] = parseReport(Deno.readTextFileSync(path), path).hosts;
  const { spans, marks, budget, sampling } = host.joulemark! as Record<string, Nested>;
  const [{ span, count }] = spans as { span: string; count: number }[];
  assertEquals(span, "span");
  const lost = Number(out.stdout) - count;
  const told = (marks as Record<string, number>)["begins and ends of spans without room"] ?? 0;
  // A ring holds 40 ms of them. Only where the machine kept the monitor waiting for longer they may have no room.
  const { "samples missed": missed, "samples late": late } = sampling as Record<string, number>;
  const longest = (budget as Record<string, number>)["period times, at most"];
  const most = late > 0 ? Math.min(told, missed * longest * PERIOD_S * RATE) : 0;
  assert(0 <= lost && lost <= most, `${lost} lost, ${most} at most: ${JSON.stringify(marks)}`);
  // Samples are fewer by then, and rings are emptied as often as it needs.
  assert((budget as Record<string, number>)["period times, at most"] > 1, JSON.stringify(budget));
});
