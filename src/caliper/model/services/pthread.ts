/** `pthread`: which thread it is: `pthread.id`, the kernel's number, and `pthread.is_master`. */

import { PROPERTY } from "../attribute.ts";
import { type Service, type ServiceHost, valuesOf } from "../service.ts";
import { TYPE } from "../variant.ts";

/** The service `pthread`. */
export function pthread(host: ServiceHost): Service {
  const { unaligned, skip_events, thread_scope } = PROPERTY;
  const properties = unaligned | skip_events | thread_scope;
  const columns = ["pthread.id", "pthread.is_master"].flatMap((name, i) => {
    return valuesOf(host, "pthread", name).map((value) => {
      return {
        value,
        attribute: host.createAttribute(name, i === 0 ? TYPE.uint : TYPE.bool, properties),
      };
    });
  });
  const known = new Set<number>();
  const notice = () => {
    if (known.has(host.thread())) return;
    known.add(host.thread());
    for (const { value, attribute } of columns) host.setContext(attribute, value.read());
  };
  return { name: "pthread", event: notice, tick: notice, sampled: notice };
}
