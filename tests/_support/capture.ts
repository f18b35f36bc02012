/**
 * Runs a verb in this process and keeps what it writes.
 *
 * @module
 */
import { exitCode } from "../../src/cli/exit_codes.ts";
import { runVerb } from "../../src/cli/command_line/run_verb.ts";
import type { Verb } from "../../src/cli/command_line/verb.ts";

/** What a verb did. */
export interface Captured {
  /** Exit status, that of an error included. */
  readonly code: number;
  readonly stdout: string;
  /** The message of an error stands here too, as `main` prints it. */
  readonly stderr: string;
}

/** Runs it; nothing reaches the terminal. */
export async function capture(verb: Verb, args: string[]): Promise<Captured> {
  const decoder = new TextDecoder();
  let stdout = "";
  let stderr = "";
  const out = Deno.stdout.writeSync;
  const err = Deno.stderr.writeSync;
  Deno.stdout.writeSync = (bytes) => {
    stdout += decoder.decode(bytes);
    return bytes.length;
  };
  Deno.stderr.writeSync = (bytes) => {
    stderr += decoder.decode(bytes);
    return bytes.length;
  };
  try {
    const code = await runVerb(verb, args);
    return { code, stdout, stderr };
  } catch (error) {
    return { code: exitCode(error), stdout, stderr: `${stderr}${(error as Error).message}\n` };
  } finally {
    Deno.stdout.writeSync = out;
    Deno.stderr.writeSync = err;
  }
}
