/**
 * Numbers of things in words.
 * @module
 */

/** `1 host`, `2 hosts`. @param ending Of the plural. */
export function counted(count: number, noun: string, ending = "s"): string {
  return `${count} ${noun}${count === 1 ? "" : ending}`;
}
