/**
 * Processes of the executable under test.
 *
 * @module
 */
import { BINARY } from "./programs.ts";

/** The process and those below it that run the executable: guardian, monitor, demo's workload. */
export function ownProcesses(pid: number, executable = BINARY): number[] {
  const binary = Deno.realPathSync(executable);
  const found: number[] = [];
  const look = (at: number) => {
    try {
      if (Deno.readLinkSync(`/proc/${at}/exe`) === binary) found.push(at);
      const children = Deno.readTextFileSync(`/proc/${at}/task/${at}/children`);
      for (const child of children.split(" ").filter((word) => word !== "")) look(Number(child));
    } catch {
      // It has ended.
    }
  };
  look(pid);
  return found;
}

/** The monitor among them: the one with the runtime's threads. */
export function monitorProcess(pid: number, executable = BINARY): number {
  const threads = (at: number) => [...Deno.readDirSync(`/proc/${at}/task`)].length;
  const found = ownProcesses(pid, executable).find((at) => threads(at) > 1);
  if (found === undefined) throw new Error(`no monitor at or below process ${pid}`);
  return found;
}
