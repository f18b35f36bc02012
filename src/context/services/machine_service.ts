/** Services that do nothing but put quantities of the machine into each snapshot. */

import { PROPERTY } from "../attribute.ts";
import { type Service, type ServiceFactory, type ServiceHost, valuesOf } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import { TYPE } from "../variant.ts";

/**
 * A service of whole numbers.
 *
 * @param values Their names: the machine's, and those of the attributes.
 */
export function machineService(
  name: string,
  values: readonly string[],
  options: { aggregatable?: boolean } = {},
): ServiceFactory {
  const { asvalue, thread_scope, skip_events, aggregatable } = PROPERTY;
  const more = options.aggregatable === true ? aggregatable : 0;
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
