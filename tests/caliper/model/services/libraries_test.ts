/** Calls of libraries that channels hear: mpi, ompt, io, alloc. */
import { assertEquals } from "@std/assert";
import { Scripted } from "../_scripted.ts";

/** Functions that stand in snapshots after calls of all of them. */
function heard(config: Record<string, string>): unknown[] {
  const one = new Scripted("event,mpi,trace,recorder", config);
  for (const name of ["MPI_Send", "MPI_Recv", "MPI_Init", "send"]) {
    if (!one.channel.libraryRegion("begin", name)) continue;
    one.channel.libraryRegion("end", name);
  }
  return one.column("mpi.function").flatMap((value) => value ?? []);
}

Deno.test("mpi receives all calls of MPI and nothing else", () => {
  assertEquals(heard({}), ["MPI_Send", "MPI_Recv", "MPI_Init"]);
});

Deno.test("CALI_MPI_WHITELIST and CALI_MPI_BLACKLIST select the calls that are received", () => {
  assertEquals(heard({ CALI_MPI_WHITELIST: "MPI_Send, MPI_Init" }), ["MPI_Send", "MPI_Init"]);
  assertEquals(heard({ CALI_MPI_BLACKLIST: "MPI_Send:MPI_Init" }), ["MPI_Recv"]);
  const both = { CALI_MPI_WHITELIST: "MPI_Send,MPI_Recv", CALI_MPI_BLACKLIST: "MPI_Send" };
  assertEquals(heard(both), ["MPI_Recv"]);
});

Deno.test("mpi reports that messages are not followed, where requested", () => {
  const log = (value: string) => new Scripted("mpi", { CALI_MPI_MSG_TRACING: value }).channel.log;
  assertEquals(log("true"), [
    "== CALIPER: mpi: sizes and partners of messages are not recorded: CALI_MPI_MSG_TRACING has no effect",
  ]);
  assertEquals(log("false"), []);
});

Deno.test("mpi.function nests with regions, and is marked as a service's own", () => {
  const one = new Scripted("event,mpi,trace,recorder"), { channel } = one;
  channel.beginRegion("exchange");
  channel.libraryRegion("begin", "MPI_Send");
  channel.snapshot();
  const inside = one.records().at(-1)!;
  assertEquals([inside.region, inside["mpi.function"]], [["exchange"], ["MPI_Send"]]);
  const { tree } = channel, id = tree.attributeByName("mpi.function");
  const mark = tree.metadataNode(id, tree.attributeByName("subscription_event"));
  assertEquals(tree.valueOf[mark], 1);
  // Not in order, and so a mismatch, as between any regions.
  channel.endRegion("exchange");
  assertEquals(channel.log.length > 0, true);
});

Deno.test("ompt receives parallel regions of OpenMP, and mpi does not", () => {
  const one = new Scripted("event,mpi,ompt,trace,recorder");
  one.channel.libraryRegion("begin", "[OMPT] solve at line 7");
  one.channel.snapshot();
  const inside = one.records().at(-1)!;
  assertEquals(inside["omp.parallel"], ["[OMPT] solve at line 7"]);
  assertEquals(inside["mpi.function"], undefined);
});

Deno.test("a channel receives libraries' events of files and memory only where a service requests them", () => {
  const accepts = (services: string) => {
    const { channel } = new Scripted(services);
    return ["io.region", "alloc.total", "mem.highwatermark", "mesh"].map((name) => {
      return channel.accepts(name);
    });
  };
  assertEquals(accepts("event"), [false, false, false, true]);
  assertEquals(accepts("event,io"), [true, false, false, true]);
  for (const service of ["alloc", "sysalloc", "allocstats"]) {
    assertEquals(accepts(service), [false, true, true, true], service);
  }
});

Deno.test("statistics reports the number of events, snapshots and threads, in one line", () => {
  const one = new Scripted("event,statistics,trace,recorder").visit("a").visit("b");
  const { channel } = one;
  channel.turnTo(channel.addThread(0));
  channel.set(channel.attribute("mesh", "int", "unaligned"), 1);
  channel.snapshot();
  channel.flush();
  assertEquals(channel.log, [
    "== CALIPER: statistics: 2 begin, 2 end, 1 set events; 6 snapshots; 2 threads",
  ]);
});
