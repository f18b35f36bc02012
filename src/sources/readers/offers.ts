/**
 * Answers of readers to the question which of their rows exist on this node.
 *
 * @module
 */
import type { Host } from "../../core/machine/host.ts";
import type { Absence, Offer, OfferedSignal, SignalRow } from "../../core/signal.ts";

/** State of a row on this node; `measured` is the default quality. */
export type Found =
  & Omit<OfferedSignal, "row" | "quality">
  & Partial<Pick<OfferedSignal, "quality">>;

/** Answer of a reader whose source is not on this node. */
export function absent(reason: string): Offer {
  return { ok: false, kind: "absent", reason };
}

/** Asks each row what it is here, or why it is not. */
export function lookAt(
  rows: readonly SignalRow[],
  look: (row: SignalRow, i: number) => Found | Absence,
) {
  const signals: OfferedSignal[] = [];
  const missing = new Map<string, Absence>();
  rows.forEach((row, i) => {
    const found = look(row, i);
    if ("reason" in found) missing.set(row.name, found);
    else signals.push({ row, quality: "measured", ...found });
  });
  return { ok: true, signals, missing } as const;
}

/** A row that is a file, if it may be read. */
export function fileOffer(host: Host, path: string, more: Omit<Found, "source"> = {}) {
  const access = host.probe(path);
  return access.ok ? { source: path, ...more } : access;
}

/** The rows; if there is none, the first lack of one of these kinds, else the first of all. */
export function offerOrLack(
  rows: Offer & { ok: true },
  ...kinds: Absence["kind"][]
): Offer {
  if (rows.signals.length > 0) return rows;
  const lacks = [...rows.missing?.values() ?? []];
  const worst = kinds.map((kind) => lacks.find((lack) => lack.kind === kind));
  const lead = worst.find((lack) => lack !== undefined) ?? lacks[0];
  return { ok: false, missing: rows.missing, ...lead };
}
