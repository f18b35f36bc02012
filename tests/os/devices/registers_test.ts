import { assert, assertEquals, assertThrows } from "@std/assert";
import { AccessError } from "../../../src/core/errors.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { ERRNO } from "../../../src/os/libc.ts";

function tree(files: Record<string, string>): string {
  const root = Deno.makeTempDirSync();
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(`${root}${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    Deno.writeTextFileSync(root + path, text);
  }
  return root;
}

Deno.test("registers() of a tree reads msr.json in any case, and again at every round", () => {
  const path = "/dev/cpu/0/msr.json";
  const root = tree({ [path]: '{"0x611": "0xF4143dFF", "0XC0010299":"A1003"}' });
  using registers = new MachineHost(root).registers(0);
  assertEquals(registers.read(0x611), 0);
  assertEquals([registers.low, registers.high], [0xf4143dff, 0]);
  assertEquals(registers.read(0xc0010299), 0);
  assertEquals(registers.low, 0xa1003);
  assertEquals(registers.read(0x619), ERRNO.EIO);
  Deno.writeTextFileSync(root + path, '{"0x611": "0x1ffffffff"}');
  assertEquals(registers.read(0x611), 0);
  assertEquals([registers.low, registers.high], [0xffffffff, 1]);
  Deno.writeTextFileSync(root + path, '{"0x611": "0x1fff');
  assertEquals(registers.read(0x611), ERRNO.EIO);
  Deno.removeSync(root, { recursive: true });
});

Deno.test("registers() of a tree reads a register file at 8 times the number", () => {
  const root = tree({ "/dev/cpu/3/msr": "" });
  const file = Deno.openSync(`${root}/dev/cpu/3/msr`, { write: true });
  for (const register of [0x611, 0xc001029b]) {
    file.seekSync(register * 8, Deno.SeekMode.Start);
    file.writeSync(new Uint8Array(new Uint32Array([register, 7]).buffer));
  }
  file.close();
  using registers = new MachineHost(root).registers(3);
  for (const register of [0x611, 0xc001029b, 0x611]) {
    assertEquals(registers.read(register), 0);
    assertEquals([registers.low, registers.high], [register, 7]);
  }
  assertEquals(registers.read(0xc001029c), ERRNO.EIO);
  Deno.removeSync(root, { recursive: true });
});

Deno.test("probe() distinguishes absent from forbidden", () => {
  const host = new MachineHost(tree({ "/sys/a": "1" }));
  assertEquals(host.probe("/sys/a"), { ok: true });
  const missing = host.probe("/sys/b");
  assert(!missing.ok && missing.kind === "absent");
  assertThrows(() => host.registers(0), AccessError, "cpu 0");
  assertThrows(() => host.keep("/sys/b"), AccessError, '"/sys/b"');
  Deno.removeSync(host.root, { recursive: true });
});

Deno.test("keep() follows a file that is rewritten or replaced", () => {
  const host = new MachineHost(tree({ "/sys/a": "12\n" }));
  using kept = host.keep("/sys/a");
  const text = () => new TextDecoder().decode(kept.bytes.slice(0, kept.read()));
  assertEquals(text(), "12\n");
  Deno.writeTextFileSync(`${host.root}/sys/a`, "13\n");
  assertEquals(text(), "13\n");
  Deno.writeTextFileSync(`${host.root}/sys/b`, "14\n");
  Deno.renameSync(`${host.root}/sys/b`, `${host.root}/sys/a`);
  assertEquals(text(), "14\n");
  Deno.removeSync(`${host.root}/sys/a`);
  assertEquals(kept.read(), -ERRNO.ENOENT);
  Deno.writeTextFileSync(`${host.root}/sys/a`, "15\n");
  assertEquals(text(), "15\n");
  Deno.removeSync(host.root, { recursive: true });
});

Deno.test("cpuid() of a tree finds leaves by number and sub-leaf", () => {
  const host = new MachineHost(tree({
    "/dev/cpu/0/cpuid.json": '{"0x16": [2600, 3700, 100, 0], "0xB.1": [1, 2, 3, 4]}',
  }));
  assertEquals(host.cpuid(0, 0x16), [2600, 3700, 100, 0]);
  assertEquals(host.cpuid(0, 0xb, 1), [1, 2, 3, 4]);
  assertEquals(host.cpuid(0, 0xb), undefined);
  assertEquals(host.cpuid(1, 0x16), undefined);
  Deno.removeSync(host.root, { recursive: true });
});
