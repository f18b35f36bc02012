/**
 * The node that a run reads: the machine, a tree, or the embedded simulated node.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import { collectorFor } from "../../os/collector_client.ts";
import { MachineHost } from "../../os/host.ts";
import { isPlainFile } from "../../os/user_file.ts";
import type { RunRequest } from "../request/request.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../../marks/tracker/tracker_signals.ts";
import { buildCatalogue, type Catalogue } from "../../sources/signals/catalogue.ts";

/**
 * Opens the machine, or a tree laid out like `/`.
 *
 * @throws {UsageError} If the root is no tree.
 */
export function openHost(root: string): Host {
  return openMachine(root);
}

/**
 * Opens a machine, or a tree with the time and facts that it was saved with.
 *
 * @param collector Socket of a collector, or "off". @default the machine's, if one listens
 * @throws {UsageError} If the root is no tree.
 */
export function openMachine(root: string, collector?: string): MachineHost {
  const host = new MachineHost(root, collectorFor(root, collector));
  if (root !== "" && host.list("/").length === 0) {
    throw new UsageError({
      action: "read",
      target: root,
      expected: "a directory laid out like / (proc/, sys/, dev/)",
      found: isPlainFile(root) ? "a file" : "nothing",
    });
  }
  return host;
}

/** All names for a run: readers of the node, and the application's own. */
export function catalogueFor(
  host: Host,
  { readers, without = [], tracker }: {
    readonly readers: readonly Reader[];
    readonly without?: readonly string[];
    readonly tracker: RegionTracker;
  },
): Catalogue {
  return buildCatalogue({
    host,
    readers,
    without,
    application: [tracker],
    applicationRows: TRACKER_SIGNALS,
    applicationAliases: TRACKER_ALIASES,
  });
}

/** Has the node an energy counter that can be read? */
export function hasEnergy(catalogue: Catalogue): boolean {
  return ["CPU_ENERGY", "BOARD_ENERGY", "GPU_ENERGY"].some((name) => {
    return catalogue.info(name)?.state.ok === true;
  });
}

/** Replacement of the machine's counters; `undefined`: there is none. */
export function simulatedBy(request: RunRequest, embedded: boolean): string | undefined {
  if (embedded) return "simulated node";
  return request.root === "" ? undefined : `simulated: read from the tree ${request.root}`;
}
