/**
 * The node and its catalogue, as the verbs without a tracked application need them.
 *
 * @module
 */
import { UsageError } from "../core/errors.ts";
import type { OfferedSignal, SignalProvider } from "../core/signal.ts";
import { rawSeconds } from "../os/clock.ts";
import { MachineHost } from "../os/host.ts";
import { READERS } from "../readers/all.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../regions/tracker_signals.ts";
import { buildCatalogue, type Catalogue } from "../signals/catalogue.ts";

/** Options that several verbs share. */
export interface NodeOptions {
  /** Tree laid out like `/`. @default the machine */
  readonly root?: string;
  /** Readers to leave out, comma-separated. @default none */
  readonly without?: string;
}

/**
 * Opens the node.
 *
 * @throws {UsageError} If the root is no directory.
 */
export function openCatalogue(options: NodeOptions): { host: MachineHost; catalogue: Catalogue } {
  const root = options.root ?? "";
  const host = new MachineHost(root);
  if (root !== "" && host.list("/").length === 0) {
    throw new UsageError({
      action: "read",
      target: root,
      expected: "a directory laid out like / (proc/, sys/, dev/)",
      found: "nothing",
    });
  }
  const without = (options.without ?? "").split(",").map((s) => s.trim()).filter((s) => s !== "");
  const catalogue = buildCatalogue({
    host,
    readers: READERS,
    without,
    application: [ownTime(host)],
    applicationRows: TRACKER_SIGNALS,
    applicationAliases: TRACKER_ALIASES,
  });
  return { host, catalogue };
}

/** TIME without an application: seconds since this process began to read. */
function ownTime(host: MachineHost): SignalProvider {
  const row = TRACKER_SIGNALS.find((r) => r.name === "TIME")!;
  const signal: OfferedSignal = { row, source: "CLOCK_MONOTONIC_RAW", quality: "measured" };
  const startS = rawSeconds();
  return {
    name: "TIME",
    signals: [signal],
    open: () => ({
      readInto(out: Float64Array) {
        out.fill(rawSeconds() - startS, 0, host.topology.count("cpu"));
      },
      [Symbol.dispose]() {},
    }),
  };
}
