/**
 * The pages of this program's own file. Its start touches most of them: the runtime makes its heap out
 * of them, and looks for what else is there. Two thirds of a monitor's memory are these, and few are
 * needed again.
 * @module
 */
import { readLinkTarget, readWhole } from "../files.ts";
import { libc } from "../libc.ts";

const MADV_DONTNEED = 4;
/** Line of /proc/self/smaps for a mapping of a file that cannot be written to. */
const UNWRITABLE = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p [0-9a-f]+ \S+ \d+ +(\/.*)$/;

/**
 * Gives the pages of the program's file back. They stay in the kernel's cache of the file, and what is
 * needed again is mapped again from there, without reading; madvise(2). A part in which any page was
 * written to, as the linker does before it takes the right away, is left as it is: that page is no
 * more the file's.
 *
 * @returns The number of bytes of address space whose pages were given back; 0 if that failed.
 */
export function giveBackProgramPages(): number {
  const own = readLinkTarget("/proc/self/exe");
  const maps = readWhole("/proc/self/smaps");
  if (own === undefined || maps === undefined) return 0;
  let bytes = 0;
  for (const text of new TextDecoder().decode(maps).split(/\n(?=[0-9a-f]+-)/)) {
    const [, from, to, path] = UNWRITABLE.exec(text.split("\n", 1)[0]) ?? [];
    if (path !== own || !/^Anonymous: +0 kB$/m.test(text) || !/^Swap: +0 kB$/m.test(text)) continue;
    const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)];
    if (libc().madvise(start, end - start, MADV_DONTNEED) === 0) bytes += Number(end - start);
  }
  return bytes;
}
