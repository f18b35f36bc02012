/**
 * Tests as root and as a user without rights: uid 65534 where the tests run as root, else whoever runs them.
 *
 * @module
 */
import { BINARY, endToEnd, type Outcome } from "./programs.ts";

const NOBODY = 65534;

/** Who runs the executable in a test. */
export interface User {
  readonly name: "root" | "plain user";
  /** Words before a command that make it this user's; the process stays the same. */
  readonly become: readonly string[];
  /** The executable, where this user can reach it. */
  readonly binary: string;
  /** Both together: words that run the executable. */
  readonly command: readonly string[];
  /** Runs the executable in the user's folder. */
  joulemark(args: string[], env?: Record<string, string>): Outcome;
}

/** `one`: all tests also run as a plain user, so root need not run any as one. */
const USERS = Deno.env.get("JOULEMARK_TEST_USERS");

/**
 * An end-to-end test that holds for root and for a plain user: once for each where the tests run as
 * root, else once. The folder belongs to the user.
 */
export function asEachUser(
  name: string,
  body: (dir: string, user: User) => void | Promise<void>,
  limitS?: number,
): void {
  const users: User["name"][] = Deno.uid() !== 0
    ? ["plain user"]
    : USERS === "one"
    ? ["root"]
    : ["root", "plain user"];
  for (const user of users) {
    endToEnd(`${name} (${user})`, (dir) => body(dir, userIn(dir, user)), limitS);
  }
}

/** A user whose folder this is. */
export function userIn(dir: string, name: User["name"] = "plain user"): User {
  const isOther = name === "plain user" && Deno.uid() === 0;
  const id = String(NOBODY);
  const become = isOther
    ? ["setpriv", "--reuid", id, "--regid", id, "--clear-groups", "env", `HOME=${dir}`]
    : [];
  let binary = BINARY;
  if (isOther) {
    Deno.chownSync(dir, NOBODY, NOBODY);
    // The checkout may lie where only its owner comes.
    binary = `${dir}/joulemark`;
    Deno.copyFileSync(BINARY, binary);
    Deno.chmodSync(binary, 0o755);
  }
  const command = [...become, binary];
  return {
    name,
    become,
    binary,
    command,
    joulemark(args, env = {}) {
      const [program, ...rest] = [...command, ...args];
      const out = new Deno.Command(program, { args: rest, cwd: dir, env, stdin: "null" })
        .outputSync();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
    },
  };
}
