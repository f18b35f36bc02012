/**
 * A question to a running monitor: what is open in its processes at this moment?
 *
 * A process that may enter the run's private directory makes `ask.N` there, N its own pid; the monitor sees
 * it at its next tick, writes `answer.N` by rename and removes the question. docs/reference/formats/ring.md.
 * @module
 */
import { writeDocument } from "../../os/files/whole_file.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import { listDirectory, readText, writeNew } from "../../os/files.ts";
import { cString, libc } from "../../os/libc.ts";
import { isAlive } from "../../os/process.ts";
import { removeUserFile } from "../../os/output_place.ts";

/** Prefix of a question's file. */
export const QUESTION_PREFIX = "ask.";
const ANSWER_PREFIX = "answer.";
/** Suffix of a question about functions, too. */
const FUNCTIONS = ".functions";
/** A monitor answers at its next tick; one that is this late is not there. */
const PATIENCE_NS = 2e9;

/** Open regions and attributes of a thread. */
export interface ThreadContextNow {
  /** Thread id; the process's own are those of its main thread. */
  readonly thread: number;
  /** Outermost first. */
  readonly regions: readonly string[];
  /** Innermost values by name. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /**
   * Values since the last annotation of the thread, as a snapshot has them: `time.duration.ns`, and for the main
   * thread the process's part of the node's energies, J.
   */
  readonly values: Readonly<Record<string, number>>;
}

/** Open regions and attributes of a process. */
export interface ProcessContextNow {
  readonly pid: number;
  readonly rank?: string;
  readonly threads: readonly ThreadContextNow[];
}

/** Samples of functions by address since the last question of the same process. */
export interface FunctionsNow {
  /** Samples per second and CPU. */
  readonly hz: number;
  readonly samples: number;
  /** Files with code; without a path: code that a process made. */
  readonly modules: readonly (readonly [
    path: string,
    buildId: string,
    inode: number,
    process: number,
  ])[];
  /** Key of the module as in a profile: twice its number here, one more for a guess; below 0: no module. */
  readonly leaves: readonly (readonly [key: number, address: number, samples: number])[];
}

/** Answer of a monitor. */
export interface Answer {
  readonly processes: readonly ProcessContextNow[];
  /** Absent: not asked for. */
  readonly functions?: FunctionsNow | { readonly absent: string };
}

/**
 * Answers a question.
 *
 * @param name The question's file.
 * @param make Makes the answer for a process that asks.
 */
export function answer(
  directory: string,
  name: string,
  make: (asker: string, wantsFunctions: boolean) => Answer,
): void {
  const [, asker, more] = /^(\d{1,10})(\.functions)?$/.exec(name.slice(QUESTION_PREFIX.length)) ??
    [];
  libc().unlink(cString(`${directory}/${name}`));
  if (asker === undefined) return;
  const path = `${directory}/${ANSWER_PREFIX}${asker}`;
  try {
    writeDocument(path, JSON.stringify(make(asker, more !== undefined)) + "\n");
  } catch {
    // No room for an answer: the process that asked reports that it got none.
  }
}

/** Asks the monitor of a session. @returns `undefined`: no answer. */
export function ask(directory: string, wantsFunctions = false): Answer | undefined {
  const pid = libc().getpid();
  const question = `${directory}/${QUESTION_PREFIX}${pid}${wantsFunctions ? FUNCTIONS : ""}`;
  const path = `${directory}/${ANSWER_PREFIX}${pid}`;
  removeUserFile(path);
  try {
    writeNew(question, new Uint8Array());
  } catch {
    return undefined;
  }
  for (const deadline = monotonicNanoseconds() + PATIENCE_NS;;) {
    const text = readText(path);
    if (text !== undefined && text !== "") {
      removeUserFile(path);
      return JSON.parse(text) as Answer;
    }
    const now = monotonicNanoseconds();
    if (now > deadline) {
      removeUserFile(question);
      return undefined;
    }
    sleepUntil(now + 2e6);
  }
}

/** Session directories of this user's monitors. @param base Their common directory. */
export function sessionsUnder(base: string): string[] {
  return listDirectory(base).flatMap((job) => {
    const name = readText(`${base}/${job}/current`)?.trim();
    if (name === undefined || !/^s-\d+-\d+$/.test(name)) return [];
    // The session of a killed monitor gives no answer.
    return isAlive(Number(name.split("-")[1])) ? [`${base}/${job}/${name}`] : [];
  });
}
