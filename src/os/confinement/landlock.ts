/**
 * Paths that a confined process may still open: a ruleset of landlock(7), made from the
 * declarations of a run's readers and outputs. Everything else that the kernel can refuse is
 * refused; executing is allowed nowhere.
 *
 * Open files go on working, and so does stat(2): landlock binds opening, making, removing,
 * renaming.
 * @module
 */
import { closeFile, O, openFile, readLinkTarget } from "../files.ts";
import { ERRNO, errno, libc } from "../libc.ts";
import { openForOutput } from "../output_place.ts";

/** Numbers of the system calls, the same on x86-64 and aarch64. */
const CREATE_RULESET = 444n, ADD_RULE = 445n;
const GET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const EBADFD = 77, EOPNOTSUPP = 95;

/** LANDLOCK_ACCESS_FS_ of linux/landlock.h. */
const EXECUTE = 1, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3;
const REMOVE_DIR = 1 << 4, REMOVE_FILE = 1 << 5, MAKE_DIR = 1 << 7, MAKE_REG = 1 << 8;
const REFER = 1 << 13, TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15;
/** All of version 1. */
const FIRST = (1 << 13) - 1;

const READS = READ_FILE | READ_DIR;
const WRITES = READS | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG |
  REFER;
/** Rights on a device that is used by ioctl(2), and opened again after it was away. */
const ASKS = READ_FILE | WRITE_FILE | IOCTL_DEV;
/** Rights that a rule of a file may have; others are for directories. */
const OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** Places that a process needs from here on. */
export interface Places {
  /** Files and directories that are read, with all that is in them. */
  readonly reads: readonly string[];
  /** Devices that are asked questions. */
  readonly devices: readonly string[];
  /** Directories of ours, where all is allowed but to execute. */
  readonly own: readonly string[];
  /** Outputs as the user named them: the directory of each, or what it is written into. */
  readonly outputs: readonly string[];
}

/** A place that was opened for its rule. */
export interface OpenPlace {
  readonly fd: number;
  /** Path as the kernel names it, or as it was given. */
  readonly path: string;
  readonly access: number;
}

/** The version of landlock here; 0: this kernel has none; −1: it exists, and is switched off. */
export function landlockVersion(): number {
  const version = createRuleset(null, GET_VERSION);
  if (version > 0) return version;
  return errno() === EOPNOTSUPP ? -1 : 0;
}

/** The text of `doctor` about it. */
export function pathsState(): string {
  const version = landlockVersion();
  return version > 0
    ? `restricted while a command runs (landlock, version ${version})`
    : `not restricted: ${withoutLandlock(version)}`;
}

/** Why there is none. */
export function withoutLandlock(version: number): string {
  return version < 0
    ? "landlock is switched off here (boot with lsm=landlock,…)"
    : "this kernel has no landlock (Linux 5.13 has)";
}

/**
 * Opens the existing ones of the places. The caller closes them.
 *
 * @returns With the errno if there are too many open files for all of them, else 0.
 */
export function openPlaces(
  { reads, devices, own, outputs }: Places,
): { places: OpenPlace[]; error: number } {
  const places: OpenPlace[] = [];
  let error = 0;
  const add = (fd: number, access: number, name?: string) => {
    if (fd === -ERRNO.EMFILE || fd === -ERRNO.ENFILE) error = -fd;
    if (fd < 0) return;
    const path = name ?? readLinkTarget(`/proc/self/fd/${fd}`) ?? "";
    const isThere = places.some((other) => other.path === path && other.access === access);
    if (isThere) closeFile(fd);
    else places.push({ fd, path, access });
  };
  for (const path of reads) add(openFile(path, O.PATH), READS, path);
  for (const path of devices) add(openFile(path, O.PATH), ASKS, path);
  for (const path of own) add(openFile(path, O.PATH | O.NOFOLLOW), WRITES, path);
  for (const path of new Set(outputs)) add(openForOutput(path), WRITES);
  return { places, error };
}

/** May files be written there? */
export function isWritten({ access }: OpenPlace): boolean {
  return access === WRITES;
}

/**
 * Makes the ruleset.
 *
 * @returns A descriptor, or −errno.
 */
export function makeRuleset(version: number, places: readonly OpenPlace[]): number {
  const handled = FIRST | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) |
    (version >= 5 ? IOCTL_DEV : 0);
  const attributes = new DataView(new ArrayBuffer(8)); // struct landlock_ruleset_attr, version 1
  attributes.setBigUint64(0, BigInt(handled), true);
  const ruleset = createRuleset(new Uint8Array(attributes.buffer), 0);
  if (ruleset < 0) return -(errno() || ERRNO.EIO);
  // struct landlock_path_beneath_attr, packed: access, descriptor
  const rule = new DataView(new ArrayBuffer(12));
  const bytes = new Uint8Array(rule.buffer);
  for (const { fd, access } of places) {
    rule.setInt32(8, fd, true);
    const add = (allowed: number): boolean => {
      rule.setBigUint64(0, BigInt(allowed), true);
      // The shape of timer_settime(2)'s: to bind one more function takes longer than all of this.
      return libc().timerSettime(ADD_RULE, ruleset, RULE_PATH_BENEATH, bytes, 0n) === 0n;
    };
    if (add(access & handled)) continue;
    let error = errno();
    // Rights of directories, for a file.
    if (error === ERRNO.EINVAL && add(access & handled & OF_FILES)) continue;
    if (error === ERRNO.EINVAL) error = errno();
    // A pipe or a socket has no path, and is not restricted.
    if (error === EBADFD) continue;
    closeFile(ruleset);
    return -(error || ERRNO.EIO);
  }
  return ruleset;
}

function createRuleset(attributes: Uint8Array<ArrayBuffer> | null, flags: number): number {
  // landlock_create_ruleset(attributes, size, flags) by the shape of perf_event_open(2)'s.
  const size = attributes?.length ?? 0;
  return Number(libc().perfEventOpen(CREATE_RULESET, attributes, size, flags, 0, 0n));
}
