/**
 * Takes host and user names and serial numbers out of what leaves the node.
 *
 * @module
 */

/** Files that hold only what distinguishes one device from another. */
const IDENTITY = /(?:serial(?:_number)?|uuid|unique_id|asset_tag)$/;
/** Shorter names are in too many places, and are replaced if a file holds nothing else. */
const MIN_LENGTH = 3;

/** Replaces names in text and in paths. */
export type Redact = (text: string) => string;

/**
 * Makes a function that replaces names that are whole words.
 *
 * @param names What to replace, by what replaces it.
 */
export function redactor(names: ReadonlyMap<string, string>): Redact {
  const known = [...names].filter(([name]) => name.length >= MIN_LENGTH)
    .sort(([a], [b]) => b.length - a.length);
  const whole = (text: string) => {
    const name = names.get(text.trim());
    return name === undefined ? text : text.replace(text.trim(), name);
  };
  if (known.length === 0) return whole;
  const words = known.map(([name]) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${words})(?![A-Za-z0-9])`, "g");
  return (text) => whole(text).replace(pattern, (name) => names.get(name)!);
}

/** Does the file hold a serial number or the like? */
export function isIdentity(path: string): boolean {
  return IDENTITY.test(path);
}

/** Host and user of this process, and what replaces them. */
export function ownNames(host: string, environment: (name: string) => string | undefined) {
  const names = new Map<string, string>();
  if (host !== "" && host !== "localhost") {
    names.set(host, "node");
    names.set(host.split(".")[0], "node");
  }
  for (const variable of ["USER", "LOGNAME", "SUDO_USER"]) {
    const user = environment(variable);
    // "root" is no person's name, and is in many kernel files.
    if (user !== undefined && user !== "" && user !== "root") names.set(user, "user");
  }
  return names;
}
