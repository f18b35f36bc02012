/** What several processes write in turns is in the order of the turns, and memory holds little of it. */
import { assertEquals } from "@std/assert";
import { Turns, WaitingSink } from "../../src/rawstats/turns.ts";

/** A token that comes when the test says so, or has to be waited for. */
class FakeToken {
  isHere = false;
  readonly seen: string[] = [];

  has(): boolean {
    const here = this.isHere;
    this.isHere = false;
    return here;
  }

  wait(): void {
    this.seen.push("wait");
  }

  pass(): void {
    this.seen.push("pass");
  }
}

function sinkOf(token: FakeToken, hasToken: boolean, most: number): WaitingSink {
  const write = (bytes: Uint8Array) => void token.seen.push(new TextDecoder().decode(bytes));
  return new WaitingSink(write, token, hasToken, most);
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("bytes wait for their turn, and are written as they are then", () => {
  const token = new FakeToken();
  const sink = sinkOf(token, false, 100);
  const text = bytes("a");
  sink.write(text);
  // a buffer is valid during the call only
  text.fill(0);
  sink.pass();
  sink.write(bytes("b"));
  sink.pass();
  sink.look();
  assertEquals(token.seen, []);
  token.isHere = true;
  sink.look();
  assertEquals(token.seen.splice(0), ["a", "pass"]);
  token.isHere = true;
  sink.look();
  assertEquals(token.seen.splice(0), ["b", "pass"]);
  token.isHere = true;
  sink.write(bytes("c"));
  sink.write(bytes("d"));
  assertEquals(token.seen.splice(0), ["c", "d"]);
  sink.pass();
  sink.end();
  assertEquals(token.seen, ["pass"]);
});

Deno.test("where too many bytes wait, the process waits", () => {
  const token = new FakeToken();
  const sink = sinkOf(token, true, 5);
  sink.write(bytes("0"));
  sink.pass();
  sink.write(bytes("123"));
  sink.pass();
  sink.write(bytes("45"));
  assertEquals(token.seen.splice(0), ["0", "pass"]);
  // for as long as there is no room, and no longer
  sink.write(bytes("6"));
  assertEquals(token.seen.splice(0), ["wait", "123", "pass"]);
  sink.pass();
  sink.write(bytes("long enough"));
  assertEquals(token.seen.splice(0), ["wait", "45", "6", "pass"]);
  sink.pass();
  sink.end();
  assertEquals(token.seen, ["wait", "long enough", "pass"]);
});

Deno.test("turns go around, and what is not of a process's turn is nowhere", () => {
  const parts = [0, 1, 2].map((index) => {
    const seen: string[] = [];
    const write = (bytes: Uint8Array) => void seen.push(new TextDecoder().decode(bytes));
    const sink = { write, pass: () => void seen.push("|"), look() {}, end() {} };
    const turns = new Turns(index, 3, sink, 10);
    turns.out.text("a");
    turns.to(0);
    turns.out.text("b");
    turns.to(2);
    turns.out.text("c");
    // a turn ends when it has had its values, not before
    turns.spend(9);
    turns.out.text("d");
    turns.spend(9);
    turns.out.text("e");
    turns.spend(1);
    turns.out.text("f");
    turns.end();
    return seen.join("");
  });
  assertEquals(parts, ["ab|f", "|", "cde|"]);
});
