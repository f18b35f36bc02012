import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import { regionHash } from "../../../src/core/hash.ts";
import { EVENT } from "../../../src/core/record.ts";
import { parseRecordFilter } from "../../../src/marks/tracker/record_filter.ts";
import { RegionTracker } from "../../../src/marks/tracker/tracker.ts";
import { readVectors } from "../../energy/totals/_vector_source.ts";

interface Vectors {
  cases: {
    name: string;
    filter: string;
    sequence: string[];
    expect: { epochs: [number, number][]; epoch_count: number };
  }[];
  rejected_names: string[];
}

const vectors = readVectors<Vectors>("record_filters.json");
const oneCpu = { count: () => 1 };

for (const c of vectors.cases) {
  Deno.test(`record filter ${c.filter} makes the original's epochs in ${c.name}`, () => {
    const filter = parseRecordFilter(c.filter)();
    const epochs: [number, number][] = [];
    c.sequence.forEach((name, i) => {
      const epoch = filter.onEntry(regionHash(name));
      if (epoch > 0) epochs.push([i, epoch]);
    });
    assertEquals(epochs, c.expect.epochs);
  });

  Deno.test(`RegionTracker puts the epochs of ${c.name} behind their entries`, () => {
    const tracker = new RegionTracker({ topology: oneCpu, recordFilter: c.filter });
    const process = tracker.start(0, 7, [0]);
    tracker.step(0);
    const epochs: number[] = [];
    c.sequence.forEach((name, i) => {
      tracker.epoch(i + 0.1, process, 0); // the application's own are dropped
      tracker.enter(i + 0.2, process, tracker.table.add(name), -1, 0);
      tracker.step(i + 0.3);
      const { records } = tracker;
      const events = Array.from(records.event.subarray(0, records.length));
      const at = events.indexOf(EVENT.EPOCH_COUNT);
      if (at >= 0) {
        epochs.push(i);
        assertEquals(events[at - 1], EVENT.REGION_ENTRY);
        assertEquals(records.timeNs[at], records.timeNs[at - 1]);
      }
      tracker.exit(i + 0.4, process, tracker.table.find(name), 0);
    });
    assertEquals(epochs, c.expect.epochs.map(([i]) => i));
    tracker.step(c.sequence.length);
    assertEquals(tracker.cpus.epoch[0], c.expect.epoch_count);
  });
}

Deno.test("parseRecordFilter() refuses what the original refuses", () => {
  for (const name of vectors.rejected_names) {
    assertThrows(() => parseRecordFilter(name), UsageError, "record filter", name);
  }
});

Deno.test("parseRecordFilter() takes numbers and factors as the original's program does", () => {
  const octal = parseRecordFilter("proxy_epoch,010")();
  assertEquals(octal.onEntry(8), 1);
  assertEquals(octal.onEntry(10), 0);
  assertEquals(parseRecordFilter("proxy_epoch,12abc")().onEntry(12), 1);
  parseRecordFilter("edit_distance,20,4,3,1.9,0.5");
  assertThrows(() => parseRecordFilter("edit_distance,100000"), UsageError, "at most");
});

Deno.test("proxy_epoch counts visits folded within a step, edit_distance does not see them", () => {
  const epochs = (recordFilter: string, steps: number[]) => {
    const tracker = new RegionTracker({ topology: oneCpu, recordFilter });
    const process = tracker.start(0, 7, [0]);
    const a = tracker.region(0, process, "a", 1);
    return steps.map((visits, step) => {
      for (let i = 0; i < visits; i++) {
        tracker.enter(step + i / 100, process, a, -1, 0);
        tracker.exit(step + i / 100 + 0.005, process, a, 0);
      }
      tracker.step(step + 0.9);
      return tracker.cpus.epoch[0];
    });
  };
  assertEquals(epochs("proxy_epoch,a", [3, 1, 0, 2]), [3, 4, 4, 6]);
  assertEquals(epochs("proxy_epoch,a,2,1", [3, 1, 0, 2]), [1, 2, 2, 3]);
  assertEquals(epochs("edit_distance", [60, 60]), [0, 0]);
});
