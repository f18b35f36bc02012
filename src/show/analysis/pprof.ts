/**
 * Stacks as a profile of pprof, through pprof-format: those of a report's tree, with time, energies and visits,
 * and those of functions.
 * @module
 */
import {
  Function,
  Label,
  Line,
  Location,
  Mapping,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from "pprof-format";
import { COMPONENT_NAMES } from "./report_view.ts";
import type { Stack } from "./stacks.ts";

/** A frame of a stack. */
export interface PprofFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  /** Index in the list of modules; absent: it belongs to no file. */
  readonly module?: number;
  readonly address?: number;
}

/** A stack with one value of each type. */
export interface PprofStack {
  /** The outermost first. */
  readonly frames: readonly PprofFrame[];
  readonly values: readonly number[];
  readonly labels: readonly (readonly [key: string, text: string])[];
}

/** A file that functions are in. */
export interface PprofModule {
  readonly path: string;
  readonly buildId: string;
}

/** Content of a profile. */
export interface PprofContent {
  readonly types: readonly (readonly [type: string, unit: string])[];
  readonly stacks: readonly PprofStack[];
  readonly modules?: readonly PprofModule[];
  readonly comment: string;
  /** Begin, ns since 1970, and duration. */
  readonly timeNs?: number;
  readonly durationNs?: number;
  readonly periodNs?: number;
}

/** Addresses of a module are those that its linker gave. */
const MODULE_END = 2 ** 48;

/** The profile, not compressed. */
export function encodePprof(content: PprofContent): Uint8Array {
  const { types, stacks, modules = [], comment, timeNs = 0, durationNs = 0, periodNs } = content;
  const strings = new StringTable();
  const text = (value: string) => strings.dedup(value);
  const valueType = ([type, unit]: readonly [string, string]) => {
    return new ValueType({ type: text(type), unit: text(unit) });
  };
  const sampleType = types.map(valueType);
  const locations: Location[] = [], functions: Function[] = [];
  const numbers = new Map<string, number>(), functionNumbers = new Map<string, number>();
  const functionOf = ({ name, file = "" }: PprofFrame) =>
    functionNumbers.getOrInsertComputed(`${name}\0${file}`, () => {
      const id = functions.length + 1;
      // No system name: pprof takes brackets and arguments off a name that equals it.
      const names = { name: text(name), filename: text(file) };
      return functions.push(new Function(Object.assign(names, { id })));
    });
  const locationOf = (frame: PprofFrame) => {
    const { name, module = -1, address = 0, line = 0 } = frame;
    return numbers.getOrInsertComputed(`${module} ${address} ${name}`, () => {
      const id = locations.length + 1, functionId = functionOf(frame);
      const lines = [new Line({ functionId, line })];
      return locations.push(new Location({ id, mappingId: module + 1, address, line: lines }));
    });
  };
  const sample = stacks.map(({ frames, values, labels }) =>
    new Sample({
      // The innermost comes first.
      locationId: frames.map(locationOf).reverse(),
      value: values.map((value) => Number.isFinite(value) ? Math.round(value) : 0),
      label: labels.map(([key, value]) => new Label({ key: text(key), str: text(value) })),
    })
  );
  const mapping = modules.map(({ path, buildId }, i) =>
    new Mapping({
      id: i + 1,
      memoryStart: 0,
      memoryLimit: MODULE_END,
      filename: text(path),
      buildId: text(buildId),
      hasFunctions: true,
    })
  );
  return new Profile({
    sampleType,
    sample,
    mapping,
    location: locations,
    function: functions,
    stringTable: strings,
    comment: [text(comment)],
    defaultSampleType: sampleType[0].type,
    timeNanos: timeNs,
    durationNanos: durationNs,
    ...(periodNs === undefined
      ? {}
      : { period: Math.round(periodNs), periodType: valueType(["cpu", "nanoseconds"]) }),
  }).encode();
}

/** The tree of a report. Where an energy is not known, its value is 0 and a label marks it. */
export function pprofBytes(stacks: readonly Stack[], comment: string): Uint8Array {
  const kinds = [...stacks[0]?.energiesJ.keys() ?? []];
  return encodePprof({
    types: [
      ...kinds.map((kind) => {
        return [`${COMPONENT_NAMES[kind]}_energy`.toLowerCase(), "microjoules"] as const;
      }),
      ["time", "nanoseconds"],
      ["visits", "count"],
    ],
    stacks: stacks.map(({ path, timeS, energiesJ, visits }) => ({
      frames: path.map((name) => ({ name })),
      values: [...kinds.map((kind) => energiesJ.get(kind)! * 1e6), timeS * 1e9, visits],
      labels: kinds.filter((kind) => !Number.isFinite(energiesJ.get(kind)))
        .map((kind) => [`${COMPONENT_NAMES[kind]} energy`, "not determined"] as const),
    })),
    comment,
  });
}
