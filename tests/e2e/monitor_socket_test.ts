/** Clients of the monitor's socket that say nothing: records come at their time, marks are written. */
import { assert, assertEquals } from "@std/assert";
import { parseRawStats } from "../../src/rawstats/format/rawstats.ts";
import { connectTo } from "../../src/os/socket.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";

endToEnd("monitor: 20 silent clients hold up neither records nor marks", async (dir) => {
  const socket = `${dir}/monitor.sock`;
  const env = { JOULEMARK_MONITOR_SOCKET: socket };
  const args = ["monitor", "--dir", `${dir}/out`, "--interval", "0.5", "--types", "cpu", "-q"];
  const child = new Deno.Command(BINARY, { args, env, stdout: "null", stderr: "inherit" }).spawn();
  const silent: Disposable[] = [];
  try {
    const until = performance.now() + 10_000;
    while (silent.length === 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const first = connectTo(socket, 1);
      if (first !== undefined) silent.push(first);
    }
    assertEquals(silent.length, 1, "the monitor listens");
    const beganMs = Date.now();
    // New ones take the place of those that were dropped, for three seconds.
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) {
        const one = connectTo(socket, 1);
        if (one !== undefined) silent.push(one);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const marking = performance.now();
    const marked = await new Deno.Command(BINARY, { args: ["mark", "hello"], env }).output();
    assertEquals(marked.code, 0, new TextDecoder().decode(marked.stderr));
    assert(performance.now() - marking < 2000, "the mark took too long");
    assert(silent.length > 40, `${silent.length} clients`);
    child.kill("SIGTERM");
    await child.status;
    const [host] = [...Deno.readDirSync(`${dir}/out`)].map((entry) => entry.name);
    const text = Deno.readTextFileSync(`${dir}/out/${host}/current`);
    const times = parseRawStats(text).records.map((record) => record.timeUs / 1000)
      .filter((ms) => ms > beganMs);
    assert(text.includes("%hello"));
    assert(times.length >= 4, `${times.length} records`);
    const gaps = times.slice(1).map((ms, i) => ms - times[i]);
    assert(Math.max(...gaps) < 2500, `${gaps.map((ms) => ms.toFixed(0))} ms between records`);
  } finally {
    for (const one of silent) one[Symbol.dispose]();
    try {
      child.kill("SIGKILL");
    } catch {
      // it ended
    }
    await child.status;
  }
});
