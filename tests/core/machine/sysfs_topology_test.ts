import { assertEquals } from "@std/assert";
import { readTopology } from "../../../src/core/machine/sysfs_topology.ts";

function files(tree: Record<string, string>) {
  const paths = Object.keys(tree);
  return {
    list(path: string): string[] {
      const names = new Set<string>();
      for (const p of paths) {
        if (p.startsWith(path + "/")) names.add(p.slice(path.length + 1).split("/")[0]);
      }
      return [...names].sort();
    },
    readText: (path: string) => tree[path],
  };
}

const SYS = "/sys/devices/system";

function cpus(places: (readonly [number, number] | null)[]): Record<string, string> {
  const tree: Record<string, string> = {
    [`${SYS}/cpu/present`]: `0-${places.length - 1}\n`,
    [`${SYS}/cpu/online`]: places.flatMap((p, c) => p === null ? [] : [c]).join() + "\n",
  };
  places.forEach((place, cpu) => {
    if (place === null) return;
    tree[`${SYS}/cpu/cpu${cpu}/topology/physical_package_id`] = `${place[0]}\n`;
    tree[`${SYS}/cpu/cpu${cpu}/topology/core_id`] = `${place[1]}\n`;
  });
  return tree;
}

Deno.test("readTopology() counts cores over the node, hyperthreads last", () => {
  const t = readTopology(files({
    ...cpus([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]),
    [`${SYS}/node/node0/cpulist`]: "0-1,4-5\n",
    [`${SYS}/node/node1/cpulist`]: "2-3,6-7\n",
    [`${SYS}/node/node2/cpulist`]: "\n",
    [`${SYS}/node/node2/distance`]: "20 10 10\n",
  }));
  assertEquals(t.count("package"), 2);
  assertEquals(t.count("core"), 4);
  assertEquals(t.cpus("core", 2), [2, 6]);
  assertEquals(t.cpus("package", 1), [2, 3, 6, 7]);
  assertEquals(t.cpus("memory", 1), [2, 3, 6, 7]);
  assertEquals(t.count("package_integrated_memory"), 1);
  assertEquals(t.cpus("package_integrated_memory", 0), [2, 3, 6, 7]);
});

Deno.test("readTopology() numbers packages without gaps and keeps the numbers of offline CPUs", () => {
  const t = readTopology(files(cpus([[3, 8], null, [7, 8], [7, 9]])));
  assertEquals(t.count("cpu"), 4);
  assertEquals(t.count("package"), 2);
  assertEquals(t.cpus("package", 1), [2, 3]);
  assertEquals(t.indexOfCpu("package", 1), -1);
  // By the kernel's own numbers, which have gaps.
  assertEquals([3, 7, 0].map((id) => t.packageOfId(id)), [0, 1, -1]);
  assertEquals([[0, 8], [1, 8], [1, 9], [0, 9]].map(([p, id]) => t.coreOfId(p, id)), [0, 1, 2, -1]);
});

Deno.test("readTopology() takes −1 for one package with a core per CPU", () => {
  const t = readTopology(files(cpus([[-1, -1], [-1, -1]])));
  assertEquals([t.count("package"), t.count("core")], [1, 2]);
  // Its numbers are no numbers: places stand for them.
  assertEquals([t.packageOfId(0), t.packageOfId(1), t.coreOfId(0, 0)], [0, -1, -1]);
});

Deno.test("readTopology() falls back to /proc/cpuinfo, then to one CPU", () => {
  const cpuinfo = "processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\n\n" +
    "processor\t: 1\nphysical id\t: 1\ncore id\t\t: 0\n\n";
  const t = readTopology(files({ "/proc/cpuinfo": cpuinfo }));
  assertEquals([t.count("package"), t.count("core"), t.count("cpu")], [2, 2, 2]);
  const arm = readTopology(files({ "/proc/cpuinfo": "processor\t: 0\n\nprocessor\t: 1\n" }));
  assertEquals([arm.count("package"), arm.count("core")], [1, 2]);
  const nothing = readTopology(files({}));
  assertEquals([nothing.count("package"), nothing.count("cpu")], [1, 1]);
});

Deno.test("readTopology() pairs the two dies of a module and splits CPUs evenly", () => {
  const tree = cpus(Array.from({ length: 8 }, (_, c) => [0, c] as const));
  for (let card = 0; card < 4; card++) {
    tree[`/sys/class/drm/card${card}/device/vendor`] = "0x1002\n";
    tree[`/sys/class/drm/card${card}/device/device`] = "0x7408\n";
  }
  const t = readTopology(files(tree));
  assertEquals([t.count("gpu"), t.count("gpu_chip")], [2, 4]);
  assertEquals(t.cpus("gpu_chip", 1), [2, 3]);
  assertEquals(t.cpus("gpu", 1), [4, 5, 6, 7]);
  assertEquals(t.nested("gpu_chip", "gpu", 1), [2, 3]);
});

Deno.test("readTopology() finds NVIDIA's GPUs by the driver's list, else by the device nodes", () => {
  const places = cpus([[0, 0], [0, 1], [1, 0], [1, 1]]);
  const listed = readTopology(files({
    ...places,
    "/proc/driver/nvidia/gpus/0000:07:00.0/information": "",
    "/proc/driver/nvidia/gpus/0000:87:00.0/information": "",
    "/sys/bus/pci/devices/0000:07:00.0/local_cpulist": "2-3\n",
    "/sys/bus/pci/devices/0000:87:00.0/local_cpulist": "0-1\n",
  }));
  assertEquals([0, 1].map((i) => listed.cpus("gpu", i)), [[2, 3], [0, 1]]);
  const nodes = readTopology(files({ ...places, "/dev/nvidia0": "", "/dev/nvidiactl": "" }));
  assertEquals(nodes.count("gpu"), 1);
  assertEquals(nodes.cpus("gpu", 0), [0, 1, 2, 3]);
});

Deno.test("readTopology() reads once what the CPUs of a package have in common, where they are listed", () => {
  const places = Array.from({ length: 64 }, (_, cpu): [number, number] => {
    return [cpu % 32 < 16 ? 2 : 5, cpu % 16];
  });
  const listOf = (pkg: number) => places.flatMap(([p], cpu) => p === pkg ? [cpu] : []).join();
  const listed = cpus(places), alone = cpus(places);
  places.forEach(([pkg], cpu) => {
    for (const tree of [listed, alone]) tree[`${SYS}/cpu/cpu${cpu}/topology/die_id`] = "0\n";
    listed[`${SYS}/cpu/cpu${cpu}/topology/package_cpus_list`] = `${listOf(pkg)}\n`;
    listed[`${SYS}/cpu/cpu${cpu}/topology/die_cpus_list`] = `${listOf(pkg)}\n`;
  });
  const read = (tree: Record<string, string>) => {
    const fs = files(tree), paths: string[] = [];
    const t = readTopology({ ...fs, readText: (path) => (paths.push(path), fs.readText(path)) });
    assertEquals([t.count("package"), t.count("core"), t.count("cpu")], [2, 32, 64]);
    assertEquals(t.cpus("package", 1)[0], 16);
    return paths.filter((path) => path.includes("/topology/")).length;
  };
  // A core's number each, and four files a package.
  assertEquals(read(listed), 64 + 8);
  // Without the lists each CPU is asked for all three, and two for a list.
  assertEquals(read(alone), 3 * 64 + 2);
});
