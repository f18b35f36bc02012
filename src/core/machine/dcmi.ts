/**
 * The request for a node's power and its answer, as bytes between a node and its BMC.
 *
 * Truth: DCMI specification 1.5, section 6.6.1 "Get Power Reading"; completion codes: IPMI 2.0, table
 * 5-2. All numbers are little-endian. The answer, after which nothing else counts:
 *
 *   0   completion code, 0: done       10  time of the BMC, seconds since 1970, 4 bytes
 *   1   0xDC, the group of DCMI        14  ms over which the three figures before were taken, 4 bytes
 *   2   power now, W, 2 bytes          18  bit 6: the power is being measured
 *   4   lowest, highest, mean power, 2 bytes each
 * @module
 */

/** Network function of group extensions; the answer's is the next one. */
export const GROUP_REQUEST = 0x2c;
export const GROUP_RESPONSE = 0x2d;
/** Command within DCMI's group. */
export const GET_POWER_READING = 0x02;
const DCMI_GROUP = 0xdc;
const SYSTEM_POWER_STATISTICS = 0x01;
const ANSWER_BYTES = 19;
const MEASURING = 0x40;
const NO_VALUE = 0xffff;

/** The request's data: group, mode, and two bytes that this mode leaves at 0. */
export function powerRequest(): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(DCMI_GROUP, SYSTEM_POWER_STATISTICS, 0, 0);
}

/** The BMC's answer about the node's power. */
export interface PowerStatistics {
  readonly ok: true;
  readonly watts: number;
}

/**
 * Why there is no power: `none`, this BMC has no such figure; `later`, another request may get it;
 * `broken`, the answer is not what it should be.
 */
export interface NoPower {
  readonly ok: false;
  readonly kind: "none" | "later" | "broken";
  readonly reason: string;
}

/** Codes that a BMC may answer this command with. */
const CODES: Readonly<Record<number, readonly [NoPower["kind"], string]>> = {
  0xc0: ["later", "the BMC is busy"],
  0xc1: ["none", "the BMC does not know DCMI's power reading"],
  0xc2: ["none", "the BMC does not know the command on this LUN"],
  0xc3: ["later", "the BMC timed out"],
  0xc4: ["later", "the BMC is out of space"],
  0xc6: ["broken", "the BMC found the request cut short"],
  0xc7: ["broken", "the BMC found the request's length wrong"],
  0xc8: ["broken", "the BMC found the request too long"],
  0xc9: ["none", "the BMC does not take system power as a parameter"],
  0xca: ["broken", "the BMC cannot answer with so many bytes"],
  0xcb: ["none", "the BMC has no sensor for it"],
  0xcc: ["none", "the BMC finds a field of the request invalid"],
  0xcd: ["none", "the BMC does not take the command for this sensor"],
  0xce: ["later", "the BMC could not make an answer"],
  0xcf: ["later", "the BMC takes the request for a repeated one"],
  0xd0: ["later", "the BMC is renewing its sensor records"],
  0xd1: ["later", "the BMC is renewing its firmware"],
  0xd2: ["later", "the BMC is starting"],
  0xd3: ["later", "the BMC cannot reach the part that measures"],
  0xd4: ["none", "the BMC refuses: privilege too low, or blocked by its firmware firewall"],
  0xd5: ["later", "the BMC does not answer that in its present state"],
  0xd6: ["none", "the command is switched off at the BMC"],
  0xff: ["later", "the BMC gives no reason"],
};

/** Meaning of a completion code other than 0. */
export function completionReason(code: number): NoPower {
  const [kind, text] = CODES[code] ?? ["broken", "a code of this BMC's maker or command"];
  return { ok: false, kind, reason: `${text} (0x${code.toString(16).toUpperCase()})` };
}

/**
 * Takes an answer apart.
 *
 * @param bytes From the completion code on.
 * @param length Bytes of it that were received.
 */
export function parsePower(bytes: Uint8Array, length: number): PowerStatistics | NoPower {
  if (length < 1) return broken("an empty answer");
  if (bytes[0] !== 0) return completionReason(bytes[0]);
  if (length < 2 || bytes[1] !== DCMI_GROUP) return broken("not an answer of DCMI's group");
  if (length < ANSWER_BYTES) {
    return broken(`an answer of ${length} bytes, where ${ANSWER_BYTES} are due`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, ANSWER_BYTES);
  const watts = view.getUint16(2, true);
  if ((view.getUint8(18) & MEASURING) === 0) {
    // Some BMCs still send a figure with it, of unknown age.
    const reason = `the BMC reports ${watts} W, but also that it does not measure power`;
    return { ok: false, kind: "later", reason };
  }
  // A node that answers draws something.
  if (watts === 0 || watts === NO_VALUE) return broken(`${watts} W, which stands for no value`);
  return { ok: true, watts };
}

function broken(reason: string): NoPower {
  return { ok: false, kind: "broken", reason: `the BMC sent ${reason}` };
}
