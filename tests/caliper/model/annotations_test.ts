/** Annotations, calls back, and contexts that are pushed and pulled, in the library's words. */
import { assertEquals } from "@std/assert";
import { Annotation, Channel, query } from "../../../mod.ts";

function channel(services: string): Channel {
  let now = 0;
  return new Channel({ CALI_SERVICES_ENABLE: services }, { now: () => now += 10 });
}

Deno.test("Annotation begins, sets and ends values of its attribute, and ends with its block", () => {
  const made = channel("event,trace,recorder");
  const phase = new Annotation(made, "phase");
  const level = new Annotation(made, made.createAttribute("level", "int", "asvalue"));
  {
    using _init = phase.begin("init");
    level.set(3);
    assertEquals(made.pullContext().phase, ["init"]);
    assertEquals(made.pullContext().level, 3);
  }
  assertEquals(made.pullContext().phase, undefined);
  phase.begin("loop");
  phase.set("finish");
  phase.end();
  level.end();
  assertEquals(made.log, []);
  const text = query("select event.end#phase where event.end#phase format expand", [made.flush()]);
  assertEquals(text, "event.end#phase=init\nevent.end#phase=finish\n");
});

Deno.test("pushContext() takes a snapshot with values of the caller; pullContext() keeps nothing", () => {
  const made = channel("timer,trace,recorder");
  made.beginRegion("main");
  assertEquals(made.pullContext().region, ["main"]);
  made.pushContext({ "residual": 0.5, "step": 7, "input": "small" });
  const [record, ...rest] = query(
    "select region,residual,step,input where residual format expand",
    [made.flush()],
  ).trimEnd().split("\n");
  assertEquals([record, rest], ["region=main,residual=0.5,step=7,input=small", []]);
});

Deno.test("a listener receives attributes, events and snapshots until it is disposed of", () => {
  const made = channel("event,trace");
  const heard: string[] = [];
  {
    using _listening = made.on({
      attribute: ({ name }) => void (name.includes("#") || heard.push(`made ${name}`)),
      event: (kind, { name }, value) => void heard.push(`${kind} ${name}=${value}`),
      snapshot: (record) => void heard.push(`snapshot in ${record.region ?? "nothing"}`),
    });
    made.beginRegion("main");
    made.set("mesh", 2);
    made.end("mesh");
    made.endRegion("main");
  }
  made.beginRegion("later");
  assertEquals(heard, [
    ...["snapshot in nothing", "begin region=main", "made mesh", "snapshot in main"],
    ...["set mesh=2", "snapshot in main", "end mesh=2", "snapshot in main", "end region=main"],
  ]);
});

Deno.test("folded calls of a library count where its service is, and are no region elsewhere", () => {
  const counts = (services: string) => {
    const made = channel(`${services},event,aggregate,recorder`);
    made.beginRegion("main");
    made.foldedVisits("MPI_Send", 500, 5, true);
    made.foldedVisits("tiny", 20, 5);
    made.endRegion("main");
    const calql = "select region,mpi.function,sum(sum#region.count) where sum#region.count " +
      "group by region,mpi.function format expand";
    return query(calql, [made.flush()]).trimEnd().split("\n").sort();
  };
  assertEquals(counts("mpi"), [
    "mpi.function=MPI_Send,region=main,sum#sum#region.count=500",
    "region=main,sum#sum#region.count=1",
    "region=main/tiny,sum#sum#region.count=20",
  ]);
  assertEquals(counts("statistics"), [
    "region=main,sum#sum#region.count=1",
    "region=main/tiny,sum#sum#region.count=20",
  ]);
});
