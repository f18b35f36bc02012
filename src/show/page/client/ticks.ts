/**
 * Ticks of axes: round numbers with the decimals of their distance; no powers of ten.
 * @module
 */
import { duration, grouped } from "../numbers.ts";
import { scaleLinear } from "./d3.ts";
import type { Ticks } from "./plot.ts";

/** Ticks of a linear axis. */
export function linearTicks(low: number, high: number, count: number): Ticks {
  const values = scaleLinear().domain([low, high]).ticks(Math.max(1, Math.floor(count)));
  const step = values.length > 1 ? values[1] - values[0] : Math.abs(values[0] ?? 1) || 1;
  const size = Math.max(Math.abs(low), Math.abs(high));
  const [factor, prefix] = SI.find(([from]) => size >= from) ?? SI.at(-1)!;
  const isPlain = size >= 0.01 && size < 1e5;
  const scaled = isPlain ? step : step / factor;
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(scaled) + 1e-9)));
  return {
    values,
    text: (value) =>
      isPlain || value === 0
        ? grouped(value, value === 0 ? 0 : decimals)
        : `${grouped(value / factor, decimals)}\u202f${prefix}`,
  };
}

const SI: readonly (readonly [number, string])[] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Ticks of a logarithmic axis of times: 1, 2, 5 of each decade, or its first alone. */
export function timeTicks(low: number, high: number, widthPx: number): Ticks {
  const all: { value: number; digit: number }[] = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const digit of [1, 2, 5]) all.push({ value: Number(`${digit}e${e}`), digit });
  }
  const inside = all.filter(({ value }) => value >= low * 0.999 && value <= high * 1.001);
  const room = Math.max(2, Math.floor(widthPx / 62));
  const decades = inside.filter(({ digit }) => digit === 1);
  const used = inside.length <= room
    ? inside
    : decades.length > 1
    ? decades.filter((_, i) => i % Math.ceil(decades.length / room) === 0)
    : inside.filter((_, i) => i % Math.ceil(inside.length / room) === 0);
  return { values: used.map(({ value }) => value), text: (value) => duration(value) };
}
