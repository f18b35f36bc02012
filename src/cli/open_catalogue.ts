/**
 * The node and its catalogue, as the verbs without a tracked application need them.
 *
 * @module
 */
import { listOf } from "../core/names.ts";
import type { OfferedSignal, SignalProvider } from "../core/signal.ts";
import { rawSeconds } from "../os/clock.ts";
import type { MachineHost } from "../os/host.ts";
import { READERS } from "../sources/readers/with_raw.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../marks/tracker/tracker_signals.ts";
import { openMachine } from "../run/session/node.ts";
import { buildCatalogue, type Catalogue } from "../sources/signals/catalogue.ts";

/** Options that several verbs share. */
export interface NodeOptions {
  /** Tree laid out like `/`. @default the machine */
  readonly root?: string;
  /** Readers to leave out, comma-separated. @default none */
  readonly without?: string;
  /** Socket of a collector, or "off". @default the machine's, if one listens */
  readonly collector?: string;
}

/**
 * Opens the node.
 *
 * @throws {UsageError} If the root is no directory.
 */
export function openCatalogue(options: NodeOptions): { host: MachineHost; catalogue: Catalogue } {
  const host = openMachine(options.root ?? "", options.collector);
  const catalogue = buildCatalogue({
    host,
    readers: READERS,
    without: listOf(options.without),
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
