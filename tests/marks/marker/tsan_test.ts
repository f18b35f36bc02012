/**
 * The C client under a thread sanitizer, while a monitor reads: no two threads of it touch a word at the
 * same time without order, and every visit is told or folded.
 */
import { assertEquals } from "@std/assert";
import { withTimeLimit } from "../../_support/time_limit.ts";
import { has, needs, run, Workshop } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";

const HERE = new URL(".", import.meta.url).pathname;

/** A compiler with the sanitizer's library; gcc's and clang's come in packages of their own. */
function sanitizes(compiler: string): boolean {
  if (!has(compiler)) return false;
  using shop = new Workshop();
  shop.write("empty.c", "int main(void) { return 0; }\n");
  try {
    shop.compile(compiler, ["-fsanitize=thread", "empty.c", "-o", "empty"]);
    return new Deno.Command(`${shop.dir}/empty`).outputSync().success;
  } catch {
    return false;
  }
}

for (const order of [1, 2]) {
  const how = order === 1 ? "folded by path" : "in their order";
  const compiler = ["gcc", "clang"].find(sanitizes);
  Deno.test({
    ...needs(compiler ?? "compiler with -fsanitize=thread", `no data race in the client, ${how}`),
    fn: () =>
      withTimeLimit(async () => {
        using shop = new Workshop();
        using session = new RingSession({ order });
        shop.write("tsan.c", Deno.readTextFileSync(`${HERE}tsan.c`));
        const flags = ["-O1", "-g", "-pthread", "-fsanitize=thread"];
        shop.compile(compiler!, [...flags, "tsan.c", "-o", "tsan"]);
        let ring: ReturnType<RingSession["open"]> | undefined;
        const out = await run([`${shop.dir}/tsan`], session, () => {
          try {
            ring ??= session.open();
            ring.poll();
          } catch {
            // not ready yet
          }
        });
        assertEquals([out.code, out.stderr], [0, ""]);
        ring ??= session.open();
        ring.poll();
        const told = ring.events.filter(({ kind, region }) =>
          kind === "exit" && region === "outer"
        );
        const folds = ring.folds.filter(({ region }) => region === "outer");
        const folded = folds.reduce((sum, { visits }) => sum + visits, 0);
        assertEquals(2 * (told.length + folded), Number(out.stdout));
      }),
  });
}
