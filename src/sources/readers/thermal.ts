/**
 * Package temperatures from /sys/class/thermal, in thousandths of a degree.
 *
 * Truth: Documentation/driver-api/thermal/sysfs-api.rst. Zones of type `x86_pkg_temp` come one for
 * each package, in the order of packages.
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer } from "../../core/signal.ts";
import { TextReading } from "./readings/text.ts";

const DIR = "/sys/class/thermal";

/** The reader of thermal zones. */
export const thermal: Reader = {
  name: "THERMAL",
  about: "Temperatures that the kernel has as thermal zones.",
  needs: { files: [`${DIR}/`], libraries: [], capabilities: [] },
  aliases: [{
    name: "CPU_PACKAGE_TEMPERATURE",
    signal: "THERMAL::PACKAGE_TEMPERATURE",
    before: "CNL::CPU_TEMPERATURE",
  }],
  signals: [{
    name: "THERMAL::PACKAGE_TEMPERATURE",
    domain: "package",
    unit: "°C",
    behavior: "variable",
    agg: "average",
    about: "Temperature of the package as the kernel's thermal zone reports it",
    source: `${DIR}/thermal_zoneN/temp (x86_pkg_temp)`,
  }],
  probe(host): Offer {
    const zones = packageZones(host);
    if (zones.length === 0) {
      return { ok: false, kind: "absent", reason: `no zone of type x86_pkg_temp in ${DIR}` };
    }
    const source = `${zones[0]}/temp`;
    const access = host.probe(source);
    if (!access.ok) return access;
    const [row] = thermal.signals;
    return { ok: true, signals: [{ row, source, quality: "measured", resolution: 0.001 }] };
  },
  open: (host, wanted) =>
    new TextReading(host, wanted, () => {
      const zones = packageZones(host).slice(0, host.topology.count("package"));
      return zones.map((zone, instance) => ({
        path: `${zone}/temp`,
        scale: 0.001,
        instance,
        signed: true,
      }));
    }),
};

function packageZones(host: Host): string[] {
  return host.list(DIR).filter((name) => /^thermal_zone\d+$/.test(name))
    .sort((a, b) => Number(a.slice(12)) - Number(b.slice(12)))
    .map((name) => `${DIR}/${name}`)
    .filter((zone) => host.readText(`${zone}/type`)?.trim() === "x86_pkg_temp");
}
