import { assertEquals } from "@std/assert";
import { formatF, formatG } from "../../../src/core/number_format.ts";
import {
  scanDouble,
  scanHex64,
  scanInt64,
  scanUint64,
} from "../../../src/caliper/model/c_number.ts";

Deno.test("formatF() prints as printf %f", () => {
  const rows: [number, string][] = [
    [0, "0.000000"],
    [-0, "-0.000000"],
    [95.5, "95.500000"],
    [1 / 3, "0.333333"],
    [-1e-9, "-0.000000"],
    [0.0078125, "0.007812"], // ties go to even
    [0.0234375, "0.023438"],
    [-0.0078125, "-0.007812"],
    [1e21, "1000000000000000000000.000000"],
    [2 ** 60 + 2 ** 10, "1152921504606848000.000000"],
    [Infinity, "inf"],
    [-Infinity, "-inf"],
    [NaN, "nan"],
  ];
  for (const [x, text] of rows) assertEquals(formatF(x), text);
});

Deno.test("formatG() prints as printf %g", () => {
  const rows: [number, string][] = [
    [95.5, "95.5"],
    [1e6, "1e+06"],
    [999999, "999999"],
    [999999.5, "1e+06"],
    [1234567, "1.23457e+06"],
    [100000.5, "100000"], // ties go to even
    [100001.5, "100002"],
    [0.0001, "0.0001"],
    [0.00001234, "1.234e-05"],
    [-0, "-0"],
    [0, "0"],
    [-1.5e300, "-1.5e+300"],
    [0.1 + 0.2, "0.3"],
  ];
  for (const [x, text] of rows) assertEquals(formatG(x), text);
});

Deno.test("scanInt64() takes the longest numeric prefix and saturates", () => {
  assertEquals(scanInt64("  -12abc"), -12);
  assertEquals(scanInt64("-0"), 0);
  assertEquals(scanInt64("abc"), null);
  assertEquals(scanInt64("9223372036854775807"), 9223372036854775807n);
  assertEquals(scanInt64("99999999999999999999"), 9223372036854775807n);
  assertEquals(scanInt64("-99999999999999999999"), -9223372036854775808n);
});

Deno.test("scanUint64() takes digits alone and wraps", () => {
  assertEquals(scanUint64("42x"), 42);
  assertEquals(scanUint64(" 42"), null);
  assertEquals(scanUint64("18446744073709551615"), 18446744073709551615n);
  assertEquals(scanUint64("18446744073709551617"), 1);
});

Deno.test("scanHex64() reads base 16 with or without prefix", () => {
  assertEquals(scanHex64("7fff"), 0x7fff);
  assertEquals(scanHex64("0xFF zz"), 255);
  assertEquals(scanHex64("ffffffffffffffff"), 0xffffffffffffffffn);
  assertEquals(scanHex64("10000000000000000"), null);
  assertEquals(scanHex64("zz"), null);
});

Deno.test("scanDouble() reads what strtod reads", () => {
  assertEquals(scanDouble("1e3x"), 1000);
  assertEquals(scanDouble(" .5"), 0.5);
  assertEquals(scanDouble("-inf"), -Infinity);
  assertEquals(scanDouble("nan"), NaN);
  assertEquals(scanDouble("0x1.8p1"), 3);
  assertEquals(scanDouble("1e"), 1);
  assertEquals(scanDouble("e5"), null);
});
