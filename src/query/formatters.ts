/** The formatter of each FORMAT, by name. */

import type { FormatContext, Formatter } from "./formatter.ts";
import { CaliFormatter } from "./print/cali.ts";
import { CsvFormatter } from "./print/csv.ts";
import { ExpandFormatter } from "./print/expand.ts";
import { FoldedFormatter } from "./print/folded.ts";
import { UserFormatter } from "./print/format.ts";
import { JsonFormatter } from "./print/json.ts";
import { JsonSplitFormatter } from "./print/json_split.ts";
import { TableFormatter } from "./print/table.ts";
import { TraceEventsFormatter } from "./print/trace_events.ts";
import { TreeFormatter } from "./print/tree.ts";

const FORMATTER_CLASSES: Record<string, new (context: FormatContext) => Formatter> = {
  cali: CaliFormatter,
  json: JsonFormatter,
  expand: ExpandFormatter,
  format: UserFormatter,
  table: TableFormatter,
  tree: TreeFormatter,
  "json-split": JsonSplitFormatter,
  csv: CsvFormatter,
  folded: FoldedFormatter,
  "trace-events": TraceEventsFormatter,
};

/** The formatter that a query names; `cali` if it names none. */
export function makeFormatter(context: FormatContext): Formatter {
  return new FORMATTER_CLASSES[context.spec.format?.name ?? "cali"](context);
}
