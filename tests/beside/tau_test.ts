/** Marks by TAU's real headers: its own profile and ours of the same run have the same timers. */
import { assert, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY } from "../_support/programs.ts";
import { besidePeer, programPath, shell } from "./_peers.ts";

besidePeer(
  "tau",
  "run --preload tau: every timer of TAU's own profile, its calls and its time",
  (dir, tau) => {
    const built = `${tau}/src/Profile`;
    shell(
      dir,
      "c++ -O2 -w -DPROFILING_ON -DTAU_DOT_H_LESS_HEADERS -DPTHREADS -DTAU_STDCXXLIB " +
        `-I ${tau}/include -o app ${programPath("tau.cpp")} ` +
        `-L ${built} -lTAUsh-pthread -Wl,-rpath,${built}`,
    );
    shell(dir, `${BINARY} run -q --simulate --preload tau -- ./app`, { XDG_CACHE_HOME: dir });
    const path = `${dir}/joulemark.report`;
    const text = Deno.readTextFileSync(path);
    assert(!text.includes("mistakes:"), text);
    const { rows } = parseReport(text, path).hosts[0].joulemark?.tree as unknown as {
      rows: { region: string; count: number; "runtime (s)": number }[];
    };
    const ours = new Map<string, { count: number; seconds: number }>();
    for (const { region, count, "runtime (s)": seconds } of rows) {
      const sum = ours.get(region) ?? { count: 0, seconds: 0 };
      ours.set(region, { count: sum.count + count, seconds: sum.seconds + seconds });
    }
    // NAME CALLS SUBRS EXCLUSIVE INCLUSIVE …, in us.
    const timers = [
      ...Deno.readTextFileSync(`${dir}/profile.0.0.0`)
        .matchAll(/^"(.*?) *" (\d+) \d+ \S+ (\S+) \d+ GROUP/gm),
    ];
    assertEquals(
      timers.map(([, name]) => name).filter((name) => name !== ".TAU application").sort(),
      [...ours.keys()].sort(),
    );
    for (const [, name, calls, inclusive] of timers) {
      const found = ours.get(name);
      if (found === undefined) continue;
      assertEquals(found.count, Number(calls), name);
      // TAU's clock is read after ours when a timer starts, and before it when it stops.
      const own = Number(inclusive) * 1e-6;
      assert(found.seconds >= own * 0.999, `${name}: ${found.seconds} s, TAU ${own} s`);
    }
  },
);
