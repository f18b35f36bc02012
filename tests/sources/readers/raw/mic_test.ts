/** Xeon Phi cards against a small library of our own with the same calls. */
import { assertEquals } from "@std/assert";
import { MachineHost } from "../../../../src/os/host.ts";
import { type MicLibrary, openMic } from "../../../../src/os/devices/micmgmt.ts";
import { RawMachine } from "../../../../src/os/raw_machine.ts";
import { micType } from "../../../../src/sources/readers/raw/mic.ts";
import { accessOf, RawRow } from "../../../../src/sources/readers/raw/raw_type.ts";
import { compile, NO_COMPILER } from "../../../_support/compiled.ts";
import { skippedWithout } from "../../../_support/skipped.ts";

/** A machine whose driver shows cards. */
class MicHost extends MachineHost {
  override list(path: string): string[] {
    return path === "/sys/class/mic" ? ["ctrl", "mic0"] : super.list(path);
  }
}

Deno.test({
  ...skippedWithout("mic: a line a card that answers, and nothing left open", NO_COMPILER),
  fn() {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-mic-" });
    try {
      const path = `${dir}/libmicmgmt.so.0`;
      compile("sources/readers/raw/fake_micmgmt.c", path, ["-shared", "-fPIC"]);
      const type = micType(() => openMic(path));
      const collector = type.open(accessOf(type, new RawMachine(new MicHost())))!;
      const lines: string[] = [];
      const row = new RawRow(7, (device) => lines.push(`${device} ${row.values.join(" ")}`));
      for (let i = 0; i < 2; i++) {
        row.begin();
        collector.collect(row);
      }
      assertEquals(lines, [
        "0 57 4 1000 0 7 1099511627777 100",
        "5 62 4 1000 0 12 1099511627777 100",
        "0 57 4 2000 0 7 1099511627778 200",
      ]);
      // one figure never had a source
      assertEquals([...row.seen], [1, 1, 1, 0, 1, 1, 1]);
      const { symbols } = Deno.dlopen(path, {
        fake_open_things: { parameters: [], result: "i32" },
      });
      assertEquals(symbols.fake_open_things(), 4);
      collector[Symbol.dispose]!();
      assertEquals(symbols.fake_open_things(), 0);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
});

Deno.test("mic: not there without a library, nor in a tree", () => {
  assertEquals(openMic("/nothing/libmicmgmt.so.0"), undefined);
  const never = (): MicLibrary | undefined => {
    throw new Error("opened");
  };
  const type = micType(never);
  const bare = new RawMachine(new MachineHost());
  assertEquals(type.open(accessOf(type, bare)), undefined, "a machine without cards");
  const machine = new RawMachine(new MachineHost("/tmp"));
  assertEquals(type.open(accessOf(type, machine)), undefined);
});
