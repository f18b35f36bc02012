/** What several processes write in turns, one after the other in this one. */
import type { RawFile } from "../../src/rawstats/files.ts";
import { type Grain, Shares } from "../../src/rawstats/shares.ts";
import { Turns } from "../../src/rawstats/turns.ts";

/** All is shared, and turns are short. */
export const FINE: Grain = { nodeBytes: 0, lotBytes: 0, values: 5 };
/** No node is shared, and turns are short. */
export const WHOLE_NODES: Grain = { nodeBytes: Infinity, lotBytes: 0, values: 5 };

/** @returns The text, and how many bytes each process wrote. */
export async function inTurns(
  count: number,
  files: readonly RawFile[],
  grain: Grain,
  write: (turns: Turns, shares: Shares) => Promise<void>,
): Promise<{ text: string; bytes: number[] }> {
  const decoder = new TextDecoder();
  const byTurn: string[] = [];
  const bytes: number[] = [];
  for (let index = 0; index < count; index++) {
    let turn = index;
    bytes[index] = 0;
    byTurn[turn] ??= "";
    const turns = new Turns(index, count, {
      write(piece) {
        bytes[index] += piece.length;
        byTurn[turn] += decoder.decode(piece, { stream: true });
      },
      pass: () => void (byTurn[turn += count] = ""),
      look() {},
      end() {},
    }, grain.values);
    await write(turns, new Shares(index, count, files, grain));
    turns.end();
  }
  return { text: byTurn.join(""), bytes };
}
