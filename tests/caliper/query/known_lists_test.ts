/**
 * Records whose list of attributes has come before are read in a quick way: the result is that of the
 * general way, which a record with an unknown key behind its values takes.
 */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../../../src/core/random.ts";
import { runQuery } from "./_support/run_query.ts";

const HEAD = [
  "__rec=node,id=20,attr=10,data=276,parent=3",
  "__rec=node,id=21,attr=8,data=function,parent=20",
  "__rec=node,id=30,attr=10,data=85,parent=1",
  "__rec=node,id=31,attr=8,data=a,parent=30",
  "__rec=node,id=40,attr=10,data=2133,parent=5",
  "__rec=node,id=41,attr=8,data=b,parent=40",
  "__rec=node,id=50,attr=10,data=276,parent=3",
  "__rec=node,id=51,attr=8,data=other,parent=50",
  "__rec=node,id=60,attr=21,data=main",
  "__rec=node,id=61,attr=21,data=work,parent=60",
  "__rec=node,id=62,attr=51,data=x",
  "__rec=node,id=63,attr=21,data=deep,parent=61",
];

/** A stream in which few beginnings repeat, among them odd ones. */
function stream(seed: number): string {
  const generator = new Random(seed), random = () => generator.uniform();
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const lines = HEAD.slice();
  const refs = [
    "",
    "ref=60,",
    "ref=61,",
    "ref=63,",
    "ref=61=62,",
    "ref=62=60,",
    "ref=061,",
    "ref=99,",
  ];
  const lists = ["31", "41", "31=41", "41=31", "31=31", "31=77", "77"];
  const values = () =>
    random() < 0.03
      ? pick(["", "nan", "1e3", "12345678901234567890", "\\=", "-", "x"])
      : String(pick<number | string>([
        ...[Math.floor(random() * 100), -7, 0.5, 123456789, 1234567, -0.125],
        // Six decimals cut them: below, above, a tie, one that carries, and two signs.
        ...["1.2345674", "1.2345676", "0.0000005", "2.9999999", "-0.0000001", "-0", "007"],
      ]));
  for (let i = 0; i < 1000; i++) {
    if (i === 500) {
      lines.push(
        "__rec=node,id=76,attr=10,data=85,parent=1",
        "__rec=node,id=77,attr=8,data=late,parent=76",
      );
    }
    if (i === 700) lines.push("__rec=node,id=99,attr=21,data=later,parent=60");
    const list = pick(lists);
    const count = list.split("=").length + (random() < 0.02 ? 1 : 0);
    const data = Array.from({ length: count }, values).join("=");
    lines.push(`__rec=ctx,${pick(refs)}attr=${list},data=${data}`);
  }
  return lines.join("\n") + "\n";
}

/** Ends each record in a key that no reader knows. */
function general(text: string): string {
  return text.replace(/^(__rec=ctx,.*[^=\n])$/gm, "$1,unknown=1");
}

Deno.test("records of known lists print as those that are read in the general way", () => {
  const queries = [
    ...["format expand", "select a,function,b format expand", "format json", "format json(pretty)"],
    ...["format json(quote-all)", "format json(object,separate-nested)", "select b,a format json"],
    ...["format table", "format table(column-width=4)", "select b,function,late format table"],
    ...["format table order by b desc,function", "select * format table order by late"],
    ...["format cali", "format json-split", "format csv"],
  ];
  for (const seed of [1, 2, 3]) {
    const text = stream(seed);
    for (const query of queries) {
      for (const streams of [[text], [text, stream(seed + 10)]]) {
        for (const strict of [false, true]) {
          const plain = runQuery(query, streams, { strict });
          const other = runQuery(query, streams.map(general), { strict });
          assertEquals(plain, other, `${query}, seed ${seed}`);
          assert(plain.text.length > 20);
        }
      }
    }
  }
});

Deno.test("records of known lists count as those that are read in the general way", () => {
  const queries = [
    "select *,count(),sum(a),min(b),max(late) group by path format expand",
    "select *,count(),inclusive_sum(b),avg(a) group by function,other format expand",
    "select *,count(),sum(late) group by a format expand",
    "select *,count() group by other format expand",
    "select *,sum(a),count() group by path,late format expand",
    "select *,count(),inclusive_sum(b) group by path,a format expand",
    "select *,sum(b) group by a,b format expand",
    "let c=truncate(a,10),d=scale(b,0.5) select c,count(),sum(d) group by c format expand",
    "let c=truncate(b,0.3),d=ratio(a,late) select *,count(),sum(d),inclusive_sum(c) group by path format expand",
    "let a=scale(a,2),c=truncate(a),b=ratio(c,b) select *,sum(a),max(b) group by c format expand",
    "let e=scale(late,2),c=first(a,b) select *,sum(e) group by c format expand",
  ];
  for (const seed of [1, 2, 3]) {
    const text = stream(seed);
    for (const query of queries) {
      for (const streams of [[text], [text, stream(seed + 10)]]) {
        const plain = runQuery(query, streams);
        assertEquals(plain, runQuery(query, streams.map(general)), `${query}, seed ${seed}`);
        assert(plain.text.length > 20);
      }
    }
  }
});
