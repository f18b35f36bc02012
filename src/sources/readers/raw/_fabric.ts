/**
 * Ports of InfiniBand and Omni-Path adapters, as sysfs lists them.
 *
 * Truth: Documentation/ABI/stable/sysfs-class-infiniband.
 * @module
 */
import type { Host } from "../../../core/machine/host.ts";

/** Folder of the fabric's adapters. */
export const FABRIC_DIRECTORY = "/sys/class/infiniband/";

/** A port that carries data. */
export interface FabricPort {
  readonly adapter: string;
  readonly port: string;
  readonly directory: string;
}

/** The ports 1 and 2 of all adapters whose state is ACTIVE. */
export function activePorts(host: Host): FabricPort[] {
  return host.list(FABRIC_DIRECTORY).flatMap((adapter) =>
    ["1", "2"].map((port) => ({
      adapter,
      port,
      directory: `${FABRIC_DIRECTORY}${adapter}/ports/${port}`,
    })).filter(({ directory }) => host.readText(`${directory}/state`)?.includes("ACTIVE"))
  );
}

/** Is it an Omni-Path adapter? */
export function isOmniPath(adapter: string): boolean {
  return adapter.startsWith("hfi1");
}
