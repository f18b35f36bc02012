/**
 * Samples as `perf script` prints them, for stackcollapse-perf, FlameScope and the Firefox profiler.
 * @module
 */

/** A frame of a sample. */
export interface ScriptFrame {
  readonly name: string;
  /** In the file or the kernel, and from the function's start. */
  readonly address: number | bigint;
  readonly offset: number;
  /** The file; empty: it has none. */
  readonly module: string;
}

/** One sample. */
export interface ScriptSample {
  readonly process: number;
  readonly thread: number;
  readonly cpu: number;
  readonly timeNs: number;
  /** The thread's name. */
  readonly comm: string;
  /** The innermost first. */
  readonly frames: readonly ScriptFrame[];
}

/** A sample's lines, the empty one behind them among these. */
export function scriptText(sample: ScriptSample, periodNs: number): string {
  const { process, thread, cpu, timeNs, comm, frames } = sample;
  const seconds = Math.floor(timeNs / 1e9);
  const micros = String(Math.floor((timeNs - seconds * 1e9) / 1e3)).padStart(6, "0");
  const number = String(cpu).padStart(3, "0");
  const name = comm.replaceAll(/[\r\n]/g, " ");
  const period = Math.round(periodNs);
  const head =
    `${name} ${process}/${thread} [${number}] ${seconds}.${micros}: ${period} cpu-clock:\n`;
  const lines = frames.map(({ name, address, offset, module }) => {
    const place = module === "" ? "[unknown]" : module;
    const shown = name.startsWith("[") ? name : `${name}+0x${offset.toString(16)}`;
    return `\t${address.toString(16).padStart(16)} ${
      shown.replaceAll(/[\r\n]/g, " ")
    } (${place})\n`;
  });
  return `${head}${lines.join("")}\n`;
}
