import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import { parseMetricsAddress } from "../../../src/run/outputs/metrics_address.ts";

Deno.test("parseMetricsAddress() reads paths, ports and addresses in numbers", () => {
  assertEquals(parseMetricsAddress("unix:/run/x.sock"), "/run/x.sock");
  const bytes = (text: string) => {
    const address = parseMetricsAddress(text);
    return typeof address === "string" ? [] : [...address.bytes, address.port];
  };
  assertEquals(bytes("9417"), [127, 0, 0, 1, 9417]);
  assertEquals(bytes("localhost:9417"), [127, 0, 0, 1, 9417]);
  assertEquals(bytes("0.0.0.0:1"), [0, 0, 0, 0, 1]);
  assertEquals(bytes("[::1]:80"), [...Array(15).fill(0), 1, 80]);
  assertEquals(bytes("[fe80::1:2]:80").slice(0, 3), [0xfe, 0x80, 0]);
});

Deno.test("parseMetricsAddress() refuses what is no address", () => {
  for (
    const text of [
      ...["", "unix:", "0", "65536", "node01:80", "1.2.3:80", "1.2.3.256:80", "[1::2::3]:80"],
      ...["[1:2]:80", ":80x", "80:"],
    ]
  ) assertThrows(() => parseMetricsAddress(text), UsageError, "PORT", text);
});
