/** Lists in Caliper's variables. */

/** Words between commas or colons, without blanks around them; none if nothing is set. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? "").split(/[,:]/).map((word) => word.trim()).filter((word) => word !== "");
}

/** Names between commas or blanks: those of signals hold colons. */
export function namesOf(text: string | undefined): string[] {
  return (text ?? "").split(/[,\s]+/).filter((name) => name !== "");
}

/** A switch: true, t or a number that is not 0. */
export function isTrue(text: string): boolean {
  return /^\s*(true|t|[1-9][0-9]*)\s*$/i.test(text);
}
