import { assertEquals } from "@std/assert";
import type { Module } from "../../../src/profile/modules.ts";
import { FRAME } from "../../../src/profile/profile.ts";
import { ROOT, StackTrie } from "../../../src/profile/stack_trie.ts";
import { RecentLeaves } from "../../../src/run/outputs/recent_leaves.ts";

const MODULES: Module[] = ["/app", "/lib/libm.so"].map((path, i) => {
  return { path, buildId: `b${i}`, inode: i, process: -1 };
});

Deno.test("each view gets the samples since its last question, by the innermost frame", () => {
  const trie = new StackTrie(), recent = new RecentLeaves(trie);
  const main = trie.child(ROOT, 0, 0x10), kernel = trie.child(main, FRAME.kernel, 0x99);
  // Code of the second file, from two callers; the second one was found by a guess.
  const [sin, also] = [main, ROOT].map((caller) => trie.child(caller, 2, 0x20));
  const guessed = trie.child(main, 3, 0x20);
  let timeNs = 0;
  const hit = (node: number, process = 7) => {
    recent.add({ node, process, timeNs: timeNs += 5e6, cpu: 0, thread: process, name: 0 });
  };
  const ask = (view: string) => recent.take(view, 200, MODULES);
  hit(main);
  const none = { hz: 200, samples: 0, modules: [], leaves: [] };
  assertEquals(ask("1"), none);
  for (const node of [sin, also, sin, main, kernel, guessed]) hit(node);
  assertEquals(ask("2"), none);
  hit(kernel, 8);
  assertEquals(ask("1"), {
    hz: 200,
    samples: 7,
    modules: [["/lib/libm.so", "b1", 1, 7], ["/app", "b0", 0, 7]],
    leaves: [[0, 0x20, 3], [FRAME.kernel, 0x99, 2], [2, 0x10, 1], [1, 0x20, 1]],
  });
  assertEquals(ask("2"), { ...none, samples: 1, leaves: [[FRAME.kernel, 0x99, 1]] });
  assertEquals(ask("2"), none);
  // A view that asks no more costs nothing.
  hit(main);
  timeNs += 61e9;
  hit(main);
  hit(main);
  assertEquals(ask("1"), none);
});
