/**
 * The NUMA nodes of sysfs.
 *
 * @module
 */
import type { Host } from "../../core/machine/host.ts";

const DIRECTORY = "/sys/devices/system/node";

/** Number and directory of each NUMA node. */
export function numaNodes(host: Host): [number: string, directory: string][] {
  return host.list(`${DIRECTORY}/`).filter((name) => /^node\d+$/.test(name))
    .map((name) => [name.slice(4), `${DIRECTORY}/${name}`]);
}
