/**
 * Time of each logical CPU by state: the lines `cpuN` of /proc/stat, their first seven numbers.
 *
 * Truth: proc(5). Steal and guest time have no key. One real line:
 * `cpu0 10132153 290696 3084719 46828483 16683 0 25195 0 175628 0`.
 * @module
 */
import { fileType, LINES } from "./_lines.ts";

const PATH = "/proc/stat";
const CPU = new TextEncoder().encode("cpu");
const KEYS = 7;

/** Raw times of logical CPUs. Device: number of the CPU. */
export const cpu = fileType({
  name: "cpu",
  keys: "user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs " +
    "softirq,E,U=cs",
  paths: [PATH],
  open({ files }) {
    const names: string[] = [];
    return (row) => {
      const lines = files.lines(PATH);
      while (lines?.next()) {
        if (!lines.startsWith(CPU)) break;
        lines.at = lines.start + CPU.length;
        // the sum over all CPUs has a blank here
        if (lines.byte < 48 || lines.byte > 57 || !lines.number()) continue;
        const name = names[LINES.low] ??= String(LINES.low);
        for (let k = 0; k < KEYS && lines.number(); k++) row.put(k, LINES.low, LINES.high);
        row.emit(name);
      }
    };
  },
});
