/**
 * The `.cali` stream: scanner and writer. One line of it:
 *
 *     __rec=ctx,ref=20,attr=15=17,data=1500=95.5
 *
 * Layout, escapes and recovery are described in docs/reference/formats/cali.md. What the ids mean is the
 * matter of the context tree; merging several streams is that of the query engine.
 * @module
 */

export { byteText, unescapedText } from "./bytes.ts";
export { NO_END } from "./record_handler.ts";
export { BAD_ID, type CaliHandler, CaliScanner } from "./scanner.ts";
export { type Layout, READ } from "./layouts.ts";
export { type CaliEntry, type CaliNodes, CaliWriter, escapeCali } from "./writer.ts";
