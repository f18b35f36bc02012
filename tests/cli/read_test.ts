import { assert, assertEquals } from "@std/assert";
import { read } from "../../src/cli/read.ts";
import { capture } from "../_support/capture.ts";
import { openNode } from "../_support/node_run.ts";

const run = (...args: string[]) => capture(read, args);

Deno.test("read prints one value in the signal's format", async () => {
  using skx = openNode("intel-skx-2s");
  const root = ["--root", skx.root];
  assertEquals(await run(...root, "CPU_ENERGY", "package", "1"), {
    code: 0,
    stdout: "12207.03125\n",
    stderr: "",
  });
  assertEquals((await run(...root, "CPU_POWER_LIMIT_CONTROL@board-0")).stdout, "300\n");
  const raw = await run(...root, "MSR::PKG_ENERGY_STATUS#", "package", "0");
  assertEquals(raw.stdout, "0x00000000f4143dff\n");
  const json = JSON.parse((await run(...root, "--json", "BOARD_POWER", "board", "0")).stdout);
  assertEquals([json.value, json.unit], [411, "W"]);
});

Deno.test("read prints a whole register as its bits, and nan where there is none", async () => {
  using skx = openNode("intel-skx-2s");
  const root = ["--root", skx.root];
  const path = `${skx.root}/dev/cpu/0/msr.json`;
  // The upper half is reserved; with these bits the register is a NaN as a number.
  const registers = { ...JSON.parse(Deno.readTextFileSync(path)), "0x611": "0xffffffff00004000" };
  Deno.writeTextFileSync(path, JSON.stringify(registers));
  const request = ["MSR::PKG_ENERGY_STATUS#", "package", "0"];
  assertEquals(await run(...root, ...request), {
    code: 0,
    stdout: "0xffffffff00004000\n",
    stderr: "",
  });
  const json = JSON.parse((await run(...root, "--json", ...request)).stdout);
  assertEquals(json.value, "0xffffffff00004000");
  using vm = openNode("vm-no-energy");
  const absent = await run("--root", vm.root, ...request);
  assertEquals([absent.code, absent.stdout], [1, "nan\n"]);
});

Deno.test("read distinguishes absent (1), unknown (2) and wrong requests (2)", async () => {
  using vm = openNode("vm-no-energy");
  const root = ["--root", vm.root];
  const absent = await run(...root, "CPU_ENERGY", "package", "0");
  assertEquals([absent.code, absent.stdout], [1, "nan\n"]);
  assert(absent.stderr.includes("no /dev/cpu/0/msr"));
  // The node has no GPU at all.
  assertEquals((await run(...root, "GPU_POWER", "gpu", "3")).code, 1);
  for (
    const request of [
      ["CPU_ENERGIE", "package", "0"],
      ["TIME", "socket", "0"],
      ["TIME", "cpu", "99"],
      ["CPU_ENERGY", "package", "99"],
      ["TIME", "cpu", "-1"],
      ["TIME", "cpu"],
      ["TIME", "cpu", "0", "0"],
      ["--bogus"],
      ["--without", "NOBODY", "TIME", "cpu", "0"],
      ["--list", "zzzz"],
    ]
  ) {
    const { code, stdout, stderr } = await run(...root, ...request);
    assertEquals([code, stdout], [2, ""], request.join(" "));
    assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
  }
  assert((await run(...root, "CPU_ENERGIE", "package", "0")).stderr.includes("CPU_ENERGY"));
  assertEquals((await run("--root", "/nowhere", "TIME", "cpu", "0")).code, 2);
});

Deno.test("read alone prints what is here, one name a line, and each of them can be read", async () => {
  using vm = openNode("vm-no-energy");
  const names = (await run("--root", vm.root)).stdout.trim().split("\n");
  assertEquals(names, [...names].sort());
  assert(names.includes("TIME") && !names.includes("CPU_ENERGY"));
  for (const name of names) {
    const { code, stdout } = await run("--root", vm.root, name, "board", "0");
    assertEquals(code, 0, name);
    assert(/^[\d.e+-]+\n$/.test(stdout), `${name}: ${stdout}`);
  }
});

Deno.test("read --domains, --list and --info describe the node", async () => {
  using cray = openNode("cray-ex-trento-4gpu");
  const root = ["--root", cray.root];
  const domains = (await run(...root, "--domains")).stdout;
  assert(domains.startsWith("board                       1\npackage                     1\n"));
  assert(domains.includes("gpu                         4\n"));
  const list = (await run(...root, "--list", "accel2")).stdout.trim().split("\n");
  assertEquals(list.length, 4);
  const info = (await run(...root, "--info", "GPU_POWER")).stdout;
  assert(info.includes("alias_for: AMDGPU::POWER"));
  assert(info.includes("units: watts"));
  assertEquals((await run(...root, "--info", "NOPE")).code, 2);
  const entry = JSON.parse((await run(...root, "--info", "BOARD_ENERGY", "--json")).stdout);
  assertEquals([entry.aliasFor, entry.quality], ["CNL::BOARD_ENERGY", "simulated"]);
});

Deno.test("read survives a register file that is cut short", async () => {
  using skx = openNode("intel-skx-2s");
  Deno.writeTextFileSync(`${skx.root}/dev/cpu/16/msr.json`, '{"0x606": "0xA0');
  const { code, stdout, stderr } = await run("--root", skx.root, "CPU_ENERGY", "package", "1");
  assertEquals([code, stdout], [1, "nan\n"]);
  assert(stderr.length > 0);
  assertEquals((await run("--root", skx.root, "CPU_ENERGY", "package", "0")).code, 0);
});
