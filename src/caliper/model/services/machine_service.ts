/**
 * Services that do nothing but put quantities of the machine into each snapshot: `cpuinfo`, the CPU on
 * which a thread was when it was taken, and its NUMA node; `memstat` (also `memusage`), the process's
 * memory in pages, proc(5), /proc/PID/statm.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import { type Service, type ServiceFactory, type ServiceHost, valuesOf } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";

const { asvalue, thread_scope, skip_events, aggregatable } = PROPERTY;

/** The service `cpuinfo`. */
export const cpuinfo = machineService("cpuinfo", ["cpuinfo.cpu", "cpuinfo.numa_node"], 0);

/** The service `memstat`. */
export const memstat = machineService(
  "memstat",
  ["memstat.vmsize", "memstat.vmrss", "memstat.data"],
  aggregatable,
);

/**
 * A service of whole numbers.
 *
 * @param values Their names: the machine's, and those of the attributes.
 * @param more Properties beside those that all have.
 */
function machineService(name: string, values: readonly string[], more: number): ServiceFactory {
  return (host: ServiceHost): Service => {
    const columns = values.flatMap((of) => valuesOf(host, name, of)).map((value) => {
      const properties = asvalue | thread_scope | skip_events | more;
      return { value, attribute: host.createAttribute(value.name, TYPE.uint, properties) };
    });
    return {
      name,
      measure(_trigger, record: Snapshot): void {
        for (const { value, attribute } of columns) {
          const now = value.read();
          if (now >= 0) record.pushNumber(attribute, TYPE.uint, Math.round(now));
        }
      },
    };
  };
}
