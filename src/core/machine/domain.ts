/**
 * The platform's domains and which domain is inside which.
 *
 * Names, numbers and nesting are GEOPM's: geopm::PlatformTopo(3). The numbers order lists.
 * @module
 */

/** Domain names, at the index that GEOPM numbers them with. */
export const DOMAINS = [
  "board",
  "package",
  "core",
  "cpu",
  "memory",
  "package_integrated_memory",
  "nic",
  "package_integrated_nic",
  "gpu",
  "package_integrated_gpu",
  "gpu_chip",
] as const;

/** Name of a GEOPM domain. */
export type Domain = (typeof DOMAINS)[number];

/** The domains that each domain is inside, without itself and the board. */
const OUTER: Partial<Record<Domain, readonly Domain[]>> = {
  cpu: ["core", "package", "memory", "gpu", "gpu_chip"],
  core: ["package"],
  package_integrated_memory: ["package"],
  package_integrated_nic: ["package"],
  package_integrated_gpu: ["package"],
  gpu_chip: ["gpu"],
};

/** Is the text the name of a domain? */
export function isDomain(text: string): text is Domain {
  return (DOMAINS as readonly string[]).includes(text);
}

/** Can a signal of `inner` be aggregated to `outer`? Every domain is inside itself and the board. */
export function isInside(inner: Domain, outer: Domain): boolean {
  return outer === inner || outer === "board" || (OUTER[inner]?.includes(outer) ?? false);
}
