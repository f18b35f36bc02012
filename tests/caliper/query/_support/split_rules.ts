/**
 * What Hatchet's reader takes for granted in json-split: rows as long as the list of columns,
 * numbers in value columns, indices into the nodes in all others, and nodes that come after their
 * parents.
 */

interface Split {
  data: unknown[][];
  columns: string[];
  column_metadata: { is_value: boolean }[];
  nodes: { label: string; column: string; parent?: number }[];
}

/** Rules that a text breaks; none where all is well. */
export function brokenSplitRules(text: string): string[] {
  const { data, columns, column_metadata: metadata, nodes } = JSON.parse(text) as Split;
  const broken: string[] = [];
  const rule = (holds: boolean, says: string) => {
    if (!holds) broken.push(says);
  };
  if (![data, columns, metadata, nodes].every(Array.isArray)) return ["one of the lists is none"];
  rule(columns.every((title) => typeof title === "string"), "a title is no text");
  rule(metadata.length === columns.length, "metadata of more or fewer columns than there are");
  rule(metadata.every((entry) => typeof entry.is_value === "boolean"), "is_value is missing");
  nodes.forEach(({ label, column, parent }, i) => {
    rule(typeof label === "string", `node ${i}: no label`);
    rule(columns.includes(column), `node ${i}: of no column`);
    rule(parent === undefined || isIndex(parent, i), `node ${i}: its parent is ${parent}`);
  });
  data.forEach((row, i) => {
    rule(row.length === columns.length, `row ${i}: ${row.length} cells`);
    row.forEach((cell, c) => {
      if (cell === null || metadata[c]?.is_value) return;
      rule(isIndex(cell, nodes.length), `row ${i}: ${columns[c]} is ${JSON.stringify(cell)}`);
    });
  });
  return broken;
}

function isIndex(value: unknown, limit: number): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit;
}
