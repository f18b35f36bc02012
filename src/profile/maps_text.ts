/**
 * Executable mappings in the text of /proc/PID/maps: proc_pid_maps(5).
 * @module
 */
import type { MappedFile } from "./records.ts";

const LINE = /^([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ (\d+) *(.*)$/gm;
const ANONYMOUS = "//anon";

/** One executable mapping. */
interface MappedCode {
  readonly start: number;
  readonly end: number;
  readonly file: MappedFile;
}

/** The mappings, by address. */
export function mappingsOf(text: string): MappedCode[] {
  return [...text.matchAll(LINE)].map(([, start, end, offset, inode, path]) => ({
    start: parseInt(start, 16),
    end: parseInt(end, 16),
    file: {
      path: path === "" ? ANONYMOUS : path.replaceAll("\\012", "\n"),
      offset: parseInt(offset, 16),
      buildId: "",
      inode: Number(inode),
    },
  }));
}
