/** DCMI's power reading byte by byte: DCMI specification 1.5, 6.6.1; codes of IPMI 2.0, table 5-2. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { completionReason, parsePower, powerRequest } from "../../../src/core/machine/dcmi.ts";

/** 300 W now, 120 to 512 W, 256 W in the mean over 2000 ms, at 0x5a000000 s. */
// deno-fmt-ignore
const ANSWER = [
  0x00, 0xdc, 0x2c, 0x01, 0x78, 0x00, 0x00, 0x02, 0x00, 0x01,
  0x00, 0x00, 0x00, 0x5a, 0xd0, 0x07, 0x00, 0x00, 0x40,
];

function parse(bytes: readonly number[], length = bytes.length) {
  return parsePower(Uint8Array.from(bytes), length);
}

/** The answer with some bytes changed. */
function changed(changes: Record<number, number>) {
  return parse(ANSWER.map((byte, at) => changes[at] ?? byte));
}

Deno.test("powerRequest() is group, mode, and two zeros", () => {
  assertEquals([...powerRequest()], [0xdc, 0x01, 0, 0]);
});

Deno.test("parsePower() takes the power from its place", () => {
  assertEquals(parse(ANSWER), { ok: true, watts: 300 });
  const largest = changed({ 2: 0xfe, 3: 0xff });
  assert(largest.ok && largest.watts === 65534);
  // A view into something longer, with rubbish behind it.
  const inside = Uint8Array.from([9, 9, 9, ...ANSWER, 9, 9]).subarray(3);
  const more = parsePower(inside, ANSWER.length + 2);
  assert(more.ok && more.watts === 300);
});

Deno.test("parsePower() minds bit 6 of the state alone", () => {
  assert(changed({ 18: 0xff }).ok);
  for (const state of [0, 0x3f, 0x80, 0xbf]) {
    assertEquals(changed({ 18: state }), {
      ok: false,
      kind: "later",
      reason: "the BMC reports 300 W, but also that it does not measure power",
    });
  }
});

Deno.test("parsePower() never makes 0 W or a cut answer a power", () => {
  for (let length = 0; length < ANSWER.length; length++) {
    const cut = parse(ANSWER, length);
    assert(!cut.ok && cut.kind === "broken", `${length} bytes`);
  }
  for (const [low, high] of [[0, 0], [0xff, 0xff]]) {
    const none = changed({ 2: low, 3: high });
    assert(!none.ok && none.kind === "broken");
    assertMatch(none.reason, /stands for no value/);
  }
  const other = changed({ 1: 0xdd });
  assert(!other.ok && other.kind === "broken" && /DCMI's group/.test(other.reason));
});

Deno.test("parsePower() reports what a completion code means, and whether to retry", () => {
  const kind = (code: number) => {
    const answer = parse([code]);
    assert(!answer.ok);
    assertEquals(answer, completionReason(code));
    assert(answer.reason.endsWith(`(0x${code.toString(16).toUpperCase()})`), answer.reason);
    return answer.kind;
  };
  assertEquals([0xc1, 0xc9, 0xcb, 0xcc, 0xd4, 0xd6].map(kind), Array(6).fill("none"));
  assertEquals([0xc0, 0xc3, 0xce, 0xd1, 0xd2, 0xd5, 0xff].map(kind), Array(7).fill("later"));
  assertEquals([0x01, 0x80, 0xc7, 0xe0].map(kind), Array(4).fill("broken"));
  assertMatch(completionReason(0xc0).reason, /^the BMC is busy/);
  assertMatch(completionReason(0xd4).reason, /privilege/);
});
