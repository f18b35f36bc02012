/**
 * The user's home and working directory, as this process was given them.
 * @module
 */
import { readText } from "./files.ts";
import { libc } from "./libc.ts";

const HOME = "HOME";
/** Before names of variables that the runtime itself must not see: src/job/guardian/runtime.h. */
const RENAMED = "JOULEMARK_USER_";
/** Value of HOME for the runtime. */
const NOWHERE = "/proc/self/none";

/** Gives variables of the user back to this program, and to programs that it starts. */
export function restoreVariables(): void {
  if (Deno.env.get(HOME) !== NOWHERE) return;
  Deno.env.delete(HOME);
  for (const name of Object.keys(Deno.env.toObject())) {
    if (!name.startsWith(RENAMED)) continue;
    const value = asText(() => Deno.env.get(name));
    Deno.env.delete(name);
    if (value !== undefined) Deno.env.set(name.slice(RENAMED.length), value);
  }
}

/** Absolute path of a relative one; `undefined` if it is no text: bytes that are not UTF-8. */
export function absolutePath(path: string): string | undefined {
  if (path.startsWith("/")) return path;
  const directory = asText(() => Deno.cwd());
  return directory === undefined ? undefined : `${directory}/${path}`;
}

function asText(ask: () => string | undefined): string | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) return undefined;
    throw error;
  }
}

/**
 * Number of this user outside of a container without rights, in which root is one user of many:
 * user_namespaces(7).
 */
export function outerUid(): number {
  const uid = libc().getuid();
  // Lines of inside, outside, count.
  for (const line of (readText("/proc/self/uid_map") ?? "").split("\n")) {
    const [inside, outside, count] = line.trim().split(/ +/).map(Number);
    if (uid >= inside && uid - inside < count) return outside + (uid - inside);
  }
  return uid;
}
