/**
 * Names of output: `%attribute%` for the attribute's value, and the name of
 * `.cali` files for which none is given.
 *
 * Truth: Caliper manual, Caliper services, "Recorder" and "Report".
 * @module
 */

/** The value of an attribute as text; undefined if it is not set. */
export type Lookup = (attribute: string) => string | undefined;

/**
 * Puts values into a name: text between two `%` is an attribute, `%[8]attribute%` with a minimum
 * width, filled up by blanks: before a number, after anything else.
 */
export function fillName(name: string, lookup: Lookup): string {
  return name.split("%").map((part, i) => {
    if (i % 2 === 0) return part;
    const [, width, attribute] = /^(?:\[(\d+)\w?\])?(.*)$/s.exec(part)!;
    const value = attribute === "" ? "" : lookup(attribute) ?? "", size = Number(width ?? 0);
    return /^-?\d/.test(value) && Number.isFinite(Number(value))
      ? value.padStart(size)
      : value.padEnd(size);
  }).join("");
}

/** Digits and letters: 62. */
const CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const RANDOM_LENGTH = 12;

/**
 * A name for a file for which none is given: `240131-235959_4711_a0B1c2D3e4F5.cali`.
 *
 * @param options.time Local time of the run's end.
 * @param options.random Numbers from 0 up to but not including 1.
 */
export function defaultFileName(
  { time, pid, random, suffix = ".cali" }: {
    time: Date;
    pid: number;
    random: () => number;
    suffix?: string;
  },
): string {
  const two = (value: number) => String(value % 100).padStart(2, "0");
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(two).join("");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join("");
  const noise = Array.from(
    { length: RANDOM_LENGTH },
    () => CHARACTERS[Math.floor(random() * CHARACTERS.length)],
  );
  return `${day}-${clock}_${pid}_${noise.join("")}${suffix}`;
}
