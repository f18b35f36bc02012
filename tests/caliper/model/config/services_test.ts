/** What configurations ask for is there, or is known to be missing with the reason. */
import { assert, assertEquals } from "@std/assert";
import { CONFIGS, optionsOf } from "../../../../src/caliper/model/config/all.ts";
import { ABSENT_SERVICES, remarkOnService } from "../../../../src/caliper/model/config/services.ts";
import { LIBRARY_SERVICES, OUTPUTS, SERVICES } from "../../../../src/caliper/model/services/all.ts";

const THERE = new Set([...SERVICES.keys(), ...LIBRARY_SERVICES, ...OUTPUTS]);

Deno.test("no service that there is counts as missing", () => {
  assertEquals([...ABSENT_SERVICES.keys()].filter((name) => THERE.has(name)), []);
});

Deno.test("every service that a configuration or an option needs exists or is known as missing", () => {
  const needed = CONFIGS.flatMap((config) => [
    ...config.services,
    ...[...optionsOf(config).values()].flatMap((option) => [
      ...option.services ?? [],
      ...option.servicesIfAny ?? [],
    ]),
  ]);
  const unknown = needed.filter((name) => !THERE.has(name) && !ABSENT_SERVICES.has(name));
  assertEquals([...new Set(unknown)], []);
});

Deno.test("configurations themselves need nothing that is missing", () => {
  for (const { name, services } of CONFIGS) {
    assertEquals(services.filter((service) => ABSENT_SERVICES.has(service)), [], name);
  }
});

Deno.test("a remark on a missing service is one line; there is none on others", () => {
  for (const name of ABSENT_SERVICES.keys()) {
    assert(remarkOnService(name)?.startsWith(`Service ${name} is left out: `));
    assertEquals(remarkOnService(name)?.split("\n").length, 1);
  }
  assertEquals(remarkOnService("event"), undefined);
});
