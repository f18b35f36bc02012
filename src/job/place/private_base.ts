/**
 * The directory of this user's sessions and claims: `PARENT/joulemark-UID`, or
 * `PARENT/joulemark-UID.RANDOM` if another user took that name. The guardian chooses by the same rule
 * (src/job/guardian/base.h): an existing further one comes first, the oldest of several.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import { listDirectory, statPath, writeNew } from "../../os/files.ts";
import { outerUid } from "../../os/home.ts";
import { isPrivate } from "../../os/trusted_file.ts";
import { cString, ERRNO, errno, errorText, libc } from "../../os/libc.ts";

/** The file whose age is the age of a further directory. */
const BIRTH = "birth";

/** Our private directory where the kernel keeps files in memory; the rest for machines without /dev/shm. */
export function privateBase(): string {
  let failure: unknown;
  for (const plain of usualNames()) {
    try {
      const further = furtherOf(plain)[0];
      if (further !== undefined) return further;
      return makePrivate(plain) ? plain : makeFurther(plain);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** All that exist. */
export function privateBases(): string[] {
  return usualNames().flatMap((plain) => {
    return [...isPrivate(plain) ? [plain] : [], ...furtherOf(plain)];
  });
}

function usualNames(): string[] {
  const uid = outerUid();
  return ["/dev/shm", `/run/user/${uid}`, "/tmp"].map((parent) => `${parent}/joulemark-${uid}`);
}

/** The oldest first. */
function furtherOf(plain: string): string[] {
  const at = plain.lastIndexOf("/"), prefix = `${plain.slice(at + 1)}.`;
  const ages = listDirectory(plain.slice(0, at)).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const path = `${plain.slice(0, at)}/${name}`;
    const birth = isPrivate(path) ? statPath(`${path}/${BIRTH}`, false) : undefined;
    return birth === undefined ? [] : [{ path, ns: birth.modifiedNs }];
  });
  ages.sort((a, b) => a.ns < b.ns || (a.ns === b.ns && a.path < b.path) ? -1 : 1);
  return ages.map(({ path }) => path);
}

/** @returns False if something of another user has the name. */
function makePrivate(path: string): boolean {
  const made = libc().mkdir(cString(path), 0o700) === 0;
  const number = made ? 0 : errno();
  if (number !== 0 && number !== ERRNO.EEXIST) throw refused(path, number);
  return isPrivate(path);
}

function makeFurther(plain: string): string {
  const [random] = crypto.getRandomValues(new BigUint64Array(1));
  const path = `${plain}.${random.toString(16)}`;
  if (libc().mkdir(cString(path), 0o700) !== 0) throw refused(path, errno());
  writeNew(`${path}/${BIRTH}`, new Uint8Array());
  return path;
}

function refused(path: string, number: number): AccessError {
  return new AccessError({
    action: "make",
    target: path,
    found: errorText(number),
  });
}
