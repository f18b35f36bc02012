/** Metrics for monitoring, read by those who read them: promtool, Prometheus, plain HTTP. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";
import { freePort, outputOf, without } from "../_support/readers_of_others.ts";
import { exists } from "../_support/live_tree.ts";
import { loadNode, writeNodeTree } from "../_support/node_tree.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A run in the background. */
function start(dir: string, options: string[], command: string[]): Deno.ChildProcess {
  const args = ["run", "-q", ...options, "--", ...command];
  return new Deno.Command(BINARY, { args, cwd: dir, stdout: "null", stderr: "piped" }).spawn();
}

/** Asks until somebody answers. */
async function scrape(port: number, accept = "*/*", path = "/metrics"): Promise<Response> {
  for (let i = 0;; i++) {
    try {
      return await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } });
    } catch (error) {
      if (i === 100) throw error;
      await sleep(50);
    }
  }
}

/** Samples by name and labels. */
function samples(text: string): Map<string, number> {
  return new Map(
    text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

endToEnd(
  "--openmetrics and --otlp: the report's figures, and what has no source is left out",
  (dir) => {
    const app = build("four_regions", dir);
    const files = ["--openmetrics", "m.om", "--otlp", "m.json", "--report", "r"];
    const { code, stderr } = joulemark(dir, ["run", "-q", "--simulate", ...files, "--", app]);
    assertEquals([code, stderr], [0, ""]);
    const text = Deno.readTextFileSync(`${dir}/m.om`);
    assert(text.endsWith("\n# EOF\n"));
    const report = Deno.readTextFileSync(`${dir}/r`);
    const energy = /Application Totals:[^]*?package-energy \(J\): ([\d.]+)/.exec(report)![1];
    const found = samples(text);
    const application = [...found].find(([name]) => {
      return /^joulemark_run_package_energy_joules_total.*section="application"/.test(name);
    })!;
    assertEquals(application[1].toPrecision(6).replace(/\.?0+$/, ""), energy);
    assert([...found.keys()].some((name) => /section="region",region="/.test(name)));
    assertStringIncludes(text, 'counters="simulated"');
    assertMatch(text, /joulemark_run_up\{[^}]*\} 0\n/);
    const otlp = JSON.parse(Deno.readTextFileSync(`${dir}/m.json`));
    const names = otlp.resourceMetrics[0].scopeMetrics[0].metrics.map((m: { name: string }) =>
      m.name
    );
    assert(names.includes("joulemark.run_package_energy"));
    // A node without counters.
    const blind = joulemark(dir, [
      "run",
      "-q",
      "--openmetrics",
      "b.om",
      "--without",
      "PERF",
      "--",
      app,
    ]);
    assertEquals(blind.code, 0, blind.stderr);
    if (!/package-energy \(J\): [1-9]/.test(Deno.readTextFileSync(`${dir}/joulemark.report`))) {
      assert(!Deno.readTextFileSync(`${dir}/b.om`).includes("package_energy"));
    }
  },
);

endToEnd("a recording gives the metrics of its run", (dir) => {
  const app = build("four_regions", dir);
  const args = ["-q", "--simulate", "--record", "rec", "--openmetrics", "live.om"];
  assertEquals(joulemark(dir, ["run", ...args, "--", app]).code, 0);
  const again = joulemark(dir, ["replay", "-q", "--report", "r", "--openmetrics", "a.om", "rec"]);
  assertEquals(again.code, 0, again.stderr);
  const of = (path: string) =>
    [...samples(Deno.readTextFileSync(`${dir}/${path}`))].filter(([name]) => {
      return /^joulemark_run_(runtime|visits)/.test(name);
    });
  assert(of("a.om").length > 2);
  assertEquals(of("a.om"), of("live.om"));
});

endToEnd("--metrics answers in both formats while the command runs, and no longer", async (dir) => {
  const port = freePort();
  const run = start(dir, ["--simulate", "--metrics", String(port)], ["sleep", "2"]);
  const open = await scrape(port, "application/openmetrics-text;version=1.0.0");
  assertMatch(open.headers.get("content-type")!, /^application\/openmetrics-text; version=1.0.0/);
  assert((await open.text()).endsWith("# EOF\n"));
  const plain = await scrape(port);
  assertMatch(plain.headers.get("content-type")!, /^text\/plain; version=0.0.4/);
  assertMatch(await plain.text(), /joulemark_run_up\{[^}]*counters="simulated"\} 1\n/);
  const none = await scrape(port, "*/*", "/x");
  assertEquals([none.status, await none.text()], [404, "see /metrics\n"]);
  const post = await fetch(`http://127.0.0.1:${port}/`, { method: "POST" });
  assertEquals([post.status, await post.text()], [405, "GET only\n"]);
  // Clients that say nothing, or half a word, and one that asks when the run is about to end.
  const silent = await Promise.all(
    Array.from({ length: 20 }, () => Deno.connect({ hostname: "127.0.0.1", port })),
  );
  await silent[19].write(new TextEncoder().encode("GET /metr"));
  const { code, stderr } = await run.output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  for (const connection of silent) connection.close();
  await fetch(`http://127.0.0.1:${port}/`).then(() => assert(false, "nobody listens"), () => {});
});

endToEnd("--metrics answers after the last process with annotations has ended", async (dir) => {
  const port = freePort();
  const script = '"$0"; touch ended; until [ -e asked ]; do sleep 0.05; done';
  const command = ["sh", "-c", script, build("four_regions", dir)];
  const run = start(dir, ["--simulate", "--metrics", String(port)], command);
  while (!exists(`${dir}/ended`)) await sleep(50);
  try {
    // Two answers: one could come from a sample that was still to be settled.
    for (let i = 0; i < 2; i++) {
      await sleep(200);
      const signal = AbortSignal.timeout(10_000);
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
      assertMatch(await answer.text(), /joulemark_run_up\{[^}]*\} 1\n/);
    }
  } finally {
    Deno.writeTextFileSync(`${dir}/asked`, "");
    assertEquals((await run.output()).code, 0);
  }
});

endToEnd("whoever asks while a run ends gets a whole answer, or nobody answers", async (dir) => {
  const port = freePort();
  const run = start(dir, ["--simulate", "--metrics", String(port)], ["sleep", "1.5"]);
  await (await scrape(port)).text();
  let answers = 0, last = "";
  const ask = async () => {
    for (;;) {
      let response;
      try {
        response = await fetch(`http://127.0.0.1:${port}/metrics`, {
          headers: { accept: "application/openmetrics-text" },
        });
      } catch {
        return;
      }
      last = await response.text();
      assert(last.endsWith("# EOF\n"), last.slice(-200));
      answers++;
    }
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
  assert(answers > 20, `${answers} answers`);
  const { code, stderr } = await run.output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
});

endToEnd("two exporters on one port: one line, and both commands run", async (dir) => {
  const port = freePort();
  const first = start(dir, ["--metrics", String(port)], ["sleep", "2"]);
  await (await scrape(port)).text();
  const second = joulemark(dir, [
    ...["run", "-q", "--report", "two", "--metrics", String(port), "--", "sh", "-c", "exit 5"],
  ]);
  assertEquals(second.code, 5);
  assertMatch(
    second.stderr,
    /^joulemark: cannot listen on "\d+": .*in use\. The command runs anyway, .*\n$/,
  );
  assert(Deno.statSync(`${dir}/two`).isFile);
  assertEquals((await first.output()).code, 0);
  const wrong = joulemark(dir, ["run", "--metrics", "node01:x", "--", "true"]);
  assertEquals([wrong.code, wrong.stderr.split("\n").length], [2, 2]);
});

endToEnd("--metrics unix:PATH replaces a socket that was left behind, and no file", async (dir) => {
  const path = `${dir}/m.sock`;
  Deno.listen({ transport: "unix", path }).close();
  const run = start(dir, ["--metrics", `unix:${path}`], ["sleep", "1.5"]);
  let text = "";
  for (let i = 0; i < 50 && text === ""; i++) {
    await sleep(50);
    try {
      using connection = await Deno.connect({ transport: "unix", path });
      await connection.write(new TextEncoder().encode("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"));
      text = await new Response(connection.readable).text();
    } catch {
      // not yet
    }
  }
  assertMatch(text, /^HTTP\/1.1 200 OK\r\n/);
  assertEquals((await run.output()).code, 0);
  Deno.writeTextFileSync(path, "mine");
  const other = joulemark(dir, ["run", "-q", "--metrics", `unix:${path}`, "--", "true"]);
  assertEquals([other.code, Deno.readTextFileSync(path)], [0, "mine"]);
  assertStringIncludes(other.stderr, "expected an address that is not in use, found a file");
});

endToEnd("monitor --metrics shows the node", async (dir) => {
  const port = freePort();
  const tree = `${dir}/tree`;
  writeNodeTree(tree, loadNode("cray-ex-trento-4gpu"));
  const env = { JOULEMARK_MONITOR_SOCKET: `${dir}/mark.sock` };
  const args = ["monitor", "-q", "--dir", dir, "--metrics", String(port), "--root", tree];
  const monitor = new Deno.Command(BINARY, { args, env, stderr: "inherit" }).spawn();
  try {
    const text = await (await scrape(port)).text();
    assertMatch(text, /joulemark_node_energy_joules_total\{[^}]*quality="simulated"\} \d+/);
  } finally {
    monitor.kill("SIGTERM");
    assertEquals((await monitor.status).code, 0);
  }
});

endToEnd(
  "promtool finds nothing to say about FILE.prom and a scrape",
  async (dir) => {
    const app = build("four_regions", dir);
    const prom = joulemark(dir, ["run", "-q", "--simulate", "--openmetrics", "m.prom", "--", app]);
    assertEquals(prom.code, 0, prom.stderr);
    const text = Deno.readTextFileSync(`${dir}/m.prom`);
    assert(samples(text).size > 20);
    assertEquals(outputOf("promtool", ["check", "metrics"], text), "");
    const port = freePort();
    const run = start(dir, ["--simulate", "--metrics", String(port)], ["sleep", "1"]);
    assertEquals(outputOf("promtool", ["check", "metrics"], await (await scrape(port)).text()), "");
    await run.output();
  },
  undefined,
  without("promtool"),
);

endToEnd(
  "a Prometheus scrapes a run, and answers every query of the dashboard",
  async (dir) => {
    const [port, web] = [freePort(), freePort()];
    const app = build("four_regions", dir);
    Deno.writeTextFileSync(
      `${dir}/p.yml`,
      `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: j, static_configs: ` +
        `[{targets: ["127.0.0.1:${port}"]}]}]\n`,
    );
    const command = ["sh", "-c", `for i in 1 2 3 4 5 6; do ${app}; sleep 1; done`];
    const run = start(dir, ["--simulate", "--metrics", String(port)], command);
    const prometheus = new Deno.Command("prometheus", {
      args: [
        ...["--config.file", `${dir}/p.yml`, "--storage.tsdb.path", `${dir}/tsdb`],
        `--web.listen-address=127.0.0.1:${web}`,
      ],
      stdout: "null",
      stderr: "null",
    }).spawn();
    const query = async (expr: string) => {
      const url = `http://127.0.0.1:${web}/api/v1/query?query=${encodeURIComponent(expr)}`;
      const { status, data, error } = await (await fetch(url)).json();
      assertEquals(status, "success", `${expr}: ${error}`);
      return data.result as { metric: Record<string, string>; value: [number, string] }[];
    };
    try {
      let up: { value: [number, string] }[] = [];
      for (let i = 0; i < 100 && up[0]?.value[1] !== "1"; i++) {
        await sleep(100);
        up = await query('up{job="j"}').catch(() => []);
      }
      assertEquals(up[0]?.value[1], "1", "the run is scraped");
      await sleep(2500);
      const energy = await query("joulemark_node_package_energy_joules_total");
      assertEquals(energy.map(({ metric }) => [metric.index, metric.quality]), [
        ...[["0", "simulated"], ["1", "simulated"]],
      ]);
      const dashboard = JSON.parse(
        Deno.readTextFileSync(
          new URL("../../docs/examples/grafana-joulemark.json", import.meta.url),
        ),
      ) as { panels: { title: string; targets: { expr: string }[] }[] };
      for (const { title, targets } of dashboard.panels) {
        const counts = await Promise.all(targets.map(async ({ expr }) => {
          return (await query(expr.replaceAll("$host", ".*").replace("[1m]", "[3s]"))).length;
        }));
        assert(counts.some((count) => count > 0), `${title}: no data`);
      }
    } finally {
      prometheus.kill("SIGTERM");
      await prometheus.status;
      assertEquals((await run.output()).code, 0);
    }
  },
  undefined,
  without("prometheus"),
);
