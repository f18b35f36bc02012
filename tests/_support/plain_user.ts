/**
 * Commands as a user without rights: uid 65534 where the tests run as root, else whoever runs them.
 *
 * @module
 */
import { BINARY, type Outcome } from "./programs.ts";

const NOBODY = 65534;

/** A folder of a user, with a copy of the executable that the user can reach. */
export interface UserFolder {
  readonly name: string;
  readonly dir: string;
  /** Words before a command that make it this user's. */
  readonly prefix: readonly string[];
  joulemark(args: string[], env?: Record<string, string>): Outcome;
}

/** The user who runs the tests, and where that is root, a plain one as well. */
export function userFolders(dir: string): UserFolder[] {
  const own = folderOf("own", dir, []);
  return Deno.uid() === 0 ? [own, plainUser(dir)] : [own];
}

/** A plain user's folder. */
export function plainUser(dir: string): UserFolder {
  if (Deno.uid() !== 0) return folderOf("plain", dir, []);
  const user = String(NOBODY);
  const drop = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"];
  return folderOf("plain", dir, drop);
}

function folderOf(name: string, dir: string, prefix: string[]): UserFolder {
  const binary = `${dir}/joulemark`;
  const folder = `${dir}/${name}`;
  Deno.chmodSync(dir, 0o755);
  Deno.mkdirSync(folder);
  // The checkout may lie where only its owner comes.
  Deno.copyFileSync(BINARY, binary);
  Deno.chmodSync(binary, 0o755);
  if (prefix.length > 0) Deno.chownSync(folder, NOBODY, NOBODY);
  return {
    name,
    dir: folder,
    prefix,
    joulemark(args, env = {}) {
      const [program, ...rest] = [...prefix, binary, ...args];
      const out = new Deno.Command(program, {
        args: rest,
        cwd: folder,
        env: { HOME: folder, ...env },
        stdin: "null",
      }).outputSync();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
    },
  };
}
