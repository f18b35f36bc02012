/** Profiles as Hatchet and Thicket read them: the nodes and energies of ours. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { build, joulemark } from "../_support/programs.ts";
import { besidePeer, shell } from "./_peers.ts";

const READ = `
import json, sys, warnings
warnings.simplefilter("ignore")
import hatchet, thicket
frame = hatchet.GraphFrame.from_caliperreader("profile-1.cali").dataframe
runs = thicket.Thicket.from_caliperreader(["profile-1.cali", "profile-2.cali"], disable_tqdm=True)
split = hatchet.GraphFrame.from_caliper("split.json").dataframe
print(json.dumps({
    "energies": {row["name"]: row["CPU_ENERGY (inc)"] for _, row in frame.iterrows()},
    "rows": len(runs.dataframe), "trials": sorted(map(str, runs.metadata["trial"])),
    "split": sorted(split["name"]),
}))
`;

besidePeer("hatchet", "Hatchet and Thicket read a run's regions and energies", (dir, path) => {
  const app = build("nested", dir);
  const configs = [1, 2].map((trial) =>
    `runtime-profile(output=profile-${trial}.cali,energy),metadata(trial=${trial})`
  );
  configs.push("hatchet-region-profile(output=split.json,output.format=json-split)");
  for (const config of configs) {
    const args = ["run", "-q", "--simulate", "--cali-config", config, "--", app, "2000"];
    const out = joulemark(dir, args);
    assertEquals(out.code, 0, out.stderr);
  }
  Deno.writeTextFileSync(`${dir}/read.py`, READ);
  const said = shell(dir, "/usr/bin/python3 read.py 2>/dev/null", { PYTHONPATH: path });
  const theirs = JSON.parse(said.trimEnd().split("\n").at(-1)!);
  const table = joulemark(dir, ["query", "-q", "select * format json", "profile-1.cali"]).stdout;
  const rows = JSON.parse(table) as Record<string, string | number>[];
  const ours = new Map(
    rows.filter(({ path }) => path !== undefined)
      .map((
        row,
      ) => [String(row.path).split("/").at(-1)!, Number(row["inclusive#joulemark.CPU_ENERGY"])]),
  );
  const names = ["cycle", "energy", "force", "main", "step", "stress", "worker"];
  assertEquals(Object.keys(theirs.energies).sort(), names);
  for (const name of names) assertAlmostEquals(theirs.energies[name], ours.get(name)!, 1e-6, name);
  assertEquals([theirs.rows, theirs.trials, theirs.split], [14, ["1", "2"], names]);
});
