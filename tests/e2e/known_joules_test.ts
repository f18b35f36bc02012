/** Energies of recordings whose joules are known: the bounds that docs/explanation/energy-method.md gives. */
import { assert } from "@std/assert";
import { figuresOf, judged, sum } from "../_support/judge_energies.ts";
import { endToEnd } from "../_support/programs.ts";

/** One or two of each way to be measured; seed 7 is not in the documents' table. */
const KINDS = ["plain", "node", "mean400", "unbound", "workers", "inturn", "ranks", "parttime"];

endToEnd("energies of known recordings are within their errors", () => {
  const all = sum(KINDS.map((kind) => judged(kind, 7)));
  const { determinedPercent, insidePercent, rms, maximum } = figuresOf(all);
  assert(determinedPercent >= 70, `${determinedPercent} % determined`);
  assert(insidePercent >= 90, `${insidePercent} % within two standard errors`);
  assert(rms < 1.3, `errors are ${rms} standard errors`);
  assert(maximum < 6, `one is ${maximum} standard errors off`);
});
