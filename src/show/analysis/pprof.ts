/**
 * Stacks as a profile of pprof: time, energies and visits of each, through pprof-format.
 * @module
 */
import {
  Function,
  Label,
  Line,
  Location,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from "pprof-format";
import { COMPONENT_NAMES } from "./report_view.ts";
import type { Stack } from "./stacks.ts";

/** The profile, not compressed. Where an energy is not known, its value is 0 and a label marks it. */
export function pprofBytes(stacks: readonly Stack[], comment: string): Uint8Array {
  const strings = new StringTable();
  const text = (value: string) => strings.dedup(value);
  const kinds = [...stacks[0]?.energiesJ.keys() ?? []];
  const sampleType = [
    ...kinds.map((kind) => [`${COMPONENT_NAMES[kind]}_energy`.toLowerCase(), "microjoules"]),
    ["time", "nanoseconds"],
    ["visits", "count"],
  ].map(([type, unit]) => new ValueType({ type: text(type), unit: text(unit) }));
  const locations: Location[] = [];
  const functions: Function[] = [];
  const numbers = new Map<string, number>();
  const locationOf = (name: string) =>
    numbers.getOrInsertComputed(name, () => {
      const id = functions.length + 1;
      functions.push(new Function({ id, name: text(name), systemName: text(name) }));
      return locations.push(new Location({ id, line: [new Line({ functionId: id })] }));
    });
  const sample = stacks.map(({ path, timeS, energiesJ, visits }) => {
    const values = [...kinds.map((kind) => energiesJ.get(kind)! * 1e6), timeS * 1e9, visits];
    const unknown = kinds.filter((kind) => !Number.isFinite(energiesJ.get(kind)));
    return new Sample({
      // The innermost comes first.
      locationId: path.map(locationOf).reverse(),
      value: values.map((value) => Number.isFinite(value) ? Math.round(value) : 0),
      label: unknown.map((kind) => {
        const key = text(`${COMPONENT_NAMES[kind]} energy`);
        return new Label({ key, str: text("cannot be told") });
      }),
    });
  });
  return new Profile({
    sampleType,
    sample,
    location: locations,
    function: functions,
    stringTable: strings,
    comment: [text(comment)],
    defaultSampleType: sampleType[0].type,
  }).encode();
}
