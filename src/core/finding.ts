/**
 * A note of a run: what happened, what it means for the values, what to do. Report, summary, page and replay
 * print it.
 * @module
 */

/** Importance of a note. */
export type Severity =
  /** The values are right; this is how they came about. Only the page and `show -v` print it. */
  | "info"
  /** A part of the values is missing or less exact. */
  | "warning"
  /** Values are wrong or cut. */
  | "error";

/** One note. */
export interface Finding {
  /** Kind of finding, in kebab case; it stays the same over versions. */
  readonly code: string;
  /** Importance of the note. */
  readonly severity: Severity;
  /** Event, with its numbers, and its meaning for the values. */
  readonly text: string;
  /** Advice on what to do. */
  readonly remedy?: string;
}

/** A note as a line of sentences. */
export function findingLine({ text, remedy }: Finding): string {
  const first = /[.!?]$/.test(text) ? text : `${text}.`;
  if (remedy === undefined) return first;
  const second = remedy[0].toUpperCase() + remedy.slice(1);
  return `${first} ${/[.!?]$/.test(second) ? second : `${second}.`}`;
}

/** Notes of hosts, one a kind: those that differ in numbers alone count together, whatever order they come in. */
export class HostNotes {
  readonly #kinds = new Map<string, { host: string; line: string; hosts: Set<string> }>();

  add(host: string, lines: readonly string[]): void {
    for (const line of lines) {
      const one = this.#kinds.getOrInsertComputed(line.replace(/\d[\d.,]*/g, "#"), () => {
        return { host, line, hosts: new Set<string>() };
      });
      one.hosts.add(host);
      if (host < one.host) [one.host, one.line] = [host, line];
    }
  }

  /** Lines with the number of hosts, those of most hosts first; each names the first host. */
  lines(): string[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.hosts.size - a.hosts.size || (a.line < b.line ? -1 : 1))
      .map(({ host, line, hosts }) => {
        return `${hosts.size === 1 ? host : `${hosts.size} hosts (first ${host})`}: ${line}`;
      });
  }
}

/** Lines of a report: those that matter, errors first, and minor ones. */
export function noteLines(findings: readonly Finding[]): { notes: string[]; minor: string[] } {
  const of = (severity: Severity) => {
    return findings.filter((one) => one.severity === severity).map(findingLine);
  };
  return { notes: [...of("error"), ...of("warning")], minor: of("info") };
}
