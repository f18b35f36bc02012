/**
 * C and C++ programs with the markup client, compiled for tests.
 *
 * @module
 */
import { joulemarkHeader } from "../../../src/marks/client/header.ts";
import type { RingSession } from "./_ring_session.ts";
import { type NameAndState, skippedWithout, unless } from "../../_support/skipped.ts";

function works(compiler: string): boolean {
  try {
    return new Deno.Command(compiler, { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

const found = new Map<string, boolean>();

/** Is there such a compiler? */
export function has(compiler: string): boolean {
  let known = found.get(compiler);
  if (known === undefined) found.set(compiler, known = works(compiler));
  return known;
}

/** Name and state of a test that needs a compiler. */
export function needs(compiler: string, name: string, missing?: string): NameAndState {
  return skippedWithout(name, unless(has(compiler), `no ${compiler}`), missing);
}

/** A folder with the header in it. */
export class Workshop {
  readonly dir = Deno.makeTempDirSync({ prefix: "joulemark-c-" });

  constructor() {
    Deno.writeTextFileSync(`${this.dir}/joulemark.h`, joulemarkHeader());
  }

  /** Runs a compiler in the folder. @throws {Error} With what it said, if it fails. */
  compile(compiler: string, args: string[]): void {
    const { success, stderr } = new Deno.Command(compiler, { args, cwd: this.dir }).outputSync();
    if (!success) {
      throw new Error(`${compiler} ${args.join(" ")}:\n${new TextDecoder().decode(stderr)}`);
    }
  }

  /** Copies a source of this folder, or writes a text. */
  write(name: string, text: string): void {
    Deno.writeTextFileSync(`${this.dir}/${name}`, text);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dir, { recursive: true });
  }
}

/** What a program said and how it ended. */
export interface Ran {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
  pid: number;
}

/** Runs a program to its end; `while` is called every few ms as long as it runs. */
export async function run(
  command: string[],
  session: RingSession | undefined,
  during?: (pid: number) => void,
): Promise<Ran> {
  const child = new Deno.Command(command[0], {
    args: command.slice(1),
    env: session?.env ?? {},
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let ended = false;
  const output = child.output().finally(() => ended = true);
  while (during !== undefined && !ended) {
    during(child.pid);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { code, signal, stdout, stderr } = await output;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, signal, stdout: text(stdout), stderr: text(stderr), pid: child.pid };
}
