/**
 * Power of the node as its BMC measures it: DCMI's power reading by the kernel's IPMI device.
 *
 * Truth: DCMI specification 1.5, 6.6.1; include/uapi/linux/ipmi.h. A process that may open the device may
 * send the BMC any command, so it is for root. Only the BMC knows whether it has the figure: it is queried
 * once when the source is looked up, and once when it is opened, so that the first tick has a value.
 * @module
 */
import type { Remedy } from "../../core/remedy.ts";
import { GET_POWER_READING, GROUP_REQUEST, powerRequest } from "../../core/machine/dcmi.ts";
import { SourceError } from "../../core/errors.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { absent } from "./offers.ts";
import { IPMI_DEVICES, openBmc, type OpenedDoor } from "../../os/devices/ipmi.ts";
import { askAndWait, IpmiReading } from "./readings/ipmi.ts";

/** Longest wait for the BMC before a run begins; most answer within a tenth of a second. */
const MAX_WAIT_S = 2;
const FIRST = 1;

const ROW: SignalRow = {
  name: "IPMI::NODE_POWER",
  domain: "board",
  unit: "W",
  behavior: "variable",
  agg: "sum",
  about: "Power of the node as its BMC measures it",
  source: "/dev/ipmi0, DCMI Get Power Reading",
  quirks: "the value is a mean over about one second, in whole watts. joulemark reads it once a " +
    "second. Only root may read it",
};

/** A BMC obeys every process that can open its device; some effects outlast the job. */
const REMEDIES: readonly Remedy[] = [
  {
    risk: "low",
    opens: "every local user can read the power of the node, if the firmware has an ACPI meter",
    lines: ["modprobe acpi_power_meter"],
  },
  {
    risk: "high",
    opens: "one group gets full access to the BMC: power off, passwords, firmware",
    lines: ["chgrp GROUP /dev/ipmi0", "chmod 0660 /dev/ipmi0"],
    undo: ["chmod 0600 /dev/ipmi0", "chgrp root /dev/ipmi0"],
  },
];

/** The reader of the BMC's power. */
export const ipmi: Reader = ipmiReader(() =>
  openBmc({ netfn: GROUP_REQUEST, command: GET_POWER_READING, data: powerRequest() })
);

/** The reader over a device that `open` answers, so that tests can hand in one of their own. */
export function ipmiReader(open: () => OpenedDoor): Reader {
  return {
    name: "IPMI",
    about:
      "Node power, as the BMC measures it. The BMC is the small computer that controls the node.",
    remedies: REMEDIES,
    needs: { files: IPMI_DEVICES, libraries: [], capabilities: ["CAP_DAC_OVERRIDE"] },
    signals: [ROW],
    probe: (host) => probe(host, open),
    open() {
      const opened = open();
      if (!opened.ok) {
        throw new SourceError("gone", { action: "open the BMC", found: opened.reason });
      }
      const first = askAndWait(opened.door, FIRST, MAX_WAIT_S);
      const watts = first.ok ? first.watts : NaN;
      return new IpmiReading(ROW.name, open, opened.door, { id: FIRST, watts });
    },
  };
}

function probe(host: Host, open: () => OpenedDoor): Offer {
  if (host.root !== "") return absent("a tree has no BMC");
  const opened = open();
  if (!opened.ok) return opened;
  using door = opened.door;
  const answer = askAndWait(door, FIRST, MAX_WAIT_S);
  if (!answer.ok) {
    const kind: Absence["kind"] = answer.kind === "none" ? "absent" : "unusable";
    return { ok: false, kind, reason: `${door.path}: ${answer.reason}` };
  }
  return {
    ok: true,
    signals: [{
      row: ROW,
      source: `${door.path}, DCMI Get Power Reading`,
      quality: "measured",
      updatePeriodS: 1,
      resolution: 1,
      note: "a mean of the BMC over about a second, in whole watts",
    }],
  };
}
