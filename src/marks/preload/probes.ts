/**
 * `--probe FILE:FUNCTION,FILE:PROVIDER:POINT,...`: functions of programs and libraries whose calls become
 * regions, and points that their authors left for tracers.
 * @module
 */
import { listOf } from "../../core/names.ts";
import { nearest, unusable } from "../../core/errors.ts";
import { closeFile, O, openFile } from "../../os/files.ts";
import { readPiece } from "../../os/files/code_files.ts";
import { findCommand } from "../../os/process.ts";
import { elfFunctions, type ReadAt } from "../../profile/elf.ts";
import { type ElfPoint, elfPoints, endsOf } from "./elf_points.ts";
import type { ElfFunction } from "../../profile/elf.ts";
import { type Exits, functionExits } from "./function_exits.ts";
import { plainName } from "./plain_name.ts";

/** Source of regions: calls of a function, or the time between two points of a program. */
export interface Probe {
  /** Name as requested, which becomes the region's name. */
  readonly name: string;
  readonly path: string;
  /** Instructions in the file where it begins. */
  readonly entries: readonly number[];
  /**
   * File offsets of the instructions where it ends. A point without an end has none: each hit is a
   * visit of length 0.
   */
  readonly exits: readonly number[];
  /**
   * Offsets of the counters that are above 0 while a listener exists, by instruction; points only.
   */
  readonly semaphores?: ReadonlyMap<number, number>;
}

/** Each takes descriptors of every CPU. */
const PROBES_MOST = 32;
/** The longest code of a function; a table with a longer one is broken. */
const CODE_MOST = 1 << 24;
const EXAMPLE = "for example: --probe ./app:solve,libm.so.6:exp,./app:PROVIDER:POINT " +
  "(nm -D FILE lists functions, readelf -n FILE points)";

/**
 * The functions of the list; `*` in a name stands for any letters.
 *
 * @param searchPath Where programs without a `/` are looked for.
 * @throws {UsageError} On a file or a function that is not there, or that cannot be probed.
 */
export function parseProbes(list: string, searchPath: string | undefined): Probe[] {
  const probes: Probe[] = [];
  for (const word of listOf(list)) {
    const colon = word.indexOf(":", word.lastIndexOf("/") + 1);
    const [file, pattern] = [word.slice(0, colon), word.slice(colon + 1)];
    const refuse = (expected: string, found: string, remedy = EXAMPLE): never => {
      throw unusable(`--probe ${word}`, expected, found, remedy);
    };
    if (colon <= 0 || pattern === "") refuse("FILE:FUNCTION", "no colon between the two");
    const path = pathOf(file, searchPath);
    const fd = path === undefined ? -1 : openFile(path, O.RDONLY | O.NONBLOCK);
    if (path === undefined || fd < 0) return refuse("a program or library", "no such file");
    try {
      const isPoint = /^[^:]+:[^:]+$/.test(pattern);
      probes.push(
        ...(isPoint ? pointsOf : probesOf)(
          path,
          pattern,
          (offset, length) => readPiece(fd, offset, length),
          refuse,
        ),
      );
    } finally {
      closeFile(fd);
    }
    if (probes.length > PROBES_MOST) refuse(`at most ${PROBES_MOST} functions`, "more of them");
  }
  return probes;
}

function probesOf(
  path: string,
  pattern: string,
  read: ReadAt,
  refuse: (expected: string, found: string) => never,
): Probe[] {
  const functions = elfFunctions(read);
  if ("refused" in functions) return refuse("a program or library", functions.refused);
  const fits = matcher(pattern);
  // By the file's own names, else by those that people write.
  let wanted = functions.filter(({ name }) => fits(name) && !PART.test(name));
  let nameOf = ({ name }: ElfFunction) => name;
  if (wanted.length === 0) {
    nameOf = ({ name }) => plainName(name) ?? "";
    wanted = functions.filter((one) => nameOf(one) !== "" && fits(nameOf(one)));
  }
  if (wanted.length === 0) {
    const names = functions.map(({ name }) => plainName(name) ?? name);
    const near = nearest(pattern, names, 1);
    refuse(
      "a function in this file",
      near.length > 0 ? `none with this name; did you mean ${near[0]}?` : "none with this name",
    );
  }
  const probes: Probe[] = [];
  let reason = "";
  for (const one of wanted) {
    const exits = exitsOf(one, functions, read);
    if ("refused" in exits) reason = `${one.name}: ${exits.refused}`;
    else if (!probes.some(({ entries }) => entries[0] === one.offset)) {
      probes.push({ name: nameOf(one), path, entries: [one.offset], exits });
    }
  }
  // Of a pattern those that can be are taken.
  return probes.length > 0 ? probes : refuse("a function whose exits can be found", reason);
}

/**
 * Points, PROVIDER:POINT or PROVIDER:BEGIN..END. A point whose name says that it begins something
 * has its end if the file has one of the fitting name.
 */
function pointsOf(
  path: string,
  pattern: string,
  read: ReadAt,
  refuse: (expected: string, found: string) => never,
): Probe[] {
  const points = elfPoints(read);
  if ("refused" in points) return refuse("a file with points for tracers (USDT)", points.refused);
  const [provider, wanted] = pattern.split(":");
  const [begin, end] = wanted.split("..");
  const own = points.filter((point) => matcher(provider)(point.provider));
  const probe = (name: string, begins: ElfPoint[], ends: ElfPoint[]): Probe => ({
    name,
    path,
    entries: begins.map(({ offset }) => offset),
    exits: ends.map(({ offset }) => offset),
    semaphores: new Map([...begins, ...ends].map((p) => [p.offset, p.semaphore])),
  });
  const probes: Probe[] = [];
  const taken = new Set<string>();
  for (const { provider, name } of own.filter(({ name }) => matcher(begin)(name))) {
    if (taken.has(`${provider}:${name}`)) continue;
    const of = (wanted: string) => own.filter((p) => p.provider === provider && p.name === wanted);
    const found = endsOf(name);
    const last = end ?? found?.ends.find((one) => of(one).length > 0);
    for (const one of [name, ...last === undefined ? [] : [last]]) taken.add(`${provider}:${one}`);
    const ends = last === undefined ? [] : of(last);
    if (end !== undefined && ends.length === 0) refuse(`the point ${end}`, "none");
    const stem = last !== undefined && found !== undefined ? found.stem : name;
    probes.push(probe(`${provider}:${stem}`, of(name), ends));
  }
  if (probes.length === 0) {
    const names = [...new Set(points.map((p) => `${p.provider}:${p.name}`))];
    const near = nearest(pattern, names, 1);
    refuse(
      "a static trace point in this file",
      near.length > 0 ? `none with this name; did you mean ${near[0]}?` : "none with this name",
    );
  }
  // An end that a pattern found before its begin is none of its own.
  return probes.filter(({ exits, entries }) =>
    exits.length > 0 || !probes.some((other) => other.exits.includes(entries[0]))
  );
}

/** Suffix of a part that the compiler split off a function: `solve.cold`. */
const PART = /\.(cold|part)(\.\d+)*$/;

function exitsOf(one: ElfFunction, functions: readonly ElfFunction[], read: ReadAt): Exits {
  if (one.size === 0 || one.size > CODE_MOST) {
    return { refused: "the file does not give the length of this function" };
  }
  const cold = functions.filter(({ name, size }) =>
    name.startsWith(`${one.name}.cold`) && size > 0 && size <= CODE_MOST
  );
  return functionExits([one, ...cold].map(({ offset, size }) => ({
    offset,
    code: read(offset, size),
  })));
}

function matcher(pattern: string): (name: string) => boolean {
  if (!pattern.includes("*")) return (name) => name === pattern;
  const text = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${text.join(".*")}$`);
  return (name) => expression.test(name);
}

/** The usual directories of libraries that are given by name only. */
const LIBRARY_FOLDERS = [
  ...["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"],
];

function pathOf(file: string, searchPath: string | undefined): string | undefined {
  if (file.includes("/")) return file;
  if (!/\.so(\.|$)/.test(file)) {
    const found = findCommand(file, searchPath);
    return "path" in found ? found.path : undefined;
  }
  return LIBRARY_FOLDERS.map((folder) => `${folder}/${file}`).find((path) => {
    const fd = openFile(path, O.RDONLY | O.NONBLOCK);
    closeFile(fd);
    return fd >= 0;
  });
}
