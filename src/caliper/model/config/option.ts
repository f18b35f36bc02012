/**
 * Options of configurations as data: services to add, variables to set, pieces of queries.
 *
 * Truth: Caliper manual, ConfigManager API, "Config and option specs".
 * @module
 */

/** Groups of options; a configuration takes all options of the groups that it names. */
export const CATEGORIES = [
  "event",
  "region",
  "metric",
  "output",
  "sampling",
  "treeformatter",
  "metadata",
  "adiak",
] as const;
/** Category of an option. */
export type Category = typeof CATEGORIES[number];

export interface Option {
  readonly name: string;
  /** A bool may go without a value, and must be one. */
  readonly type: "bool" | "string" | "int" | "double";
  readonly about: string;
  /** Services that it needs. */
  readonly services?: readonly string[];
  /** Services that it uses if there are any. */
  readonly servicesIfAny?: readonly string[];
  /** Options that it includes. */
  readonly includes?: readonly string[];
  /** Variables that it sets; `{}` stands for the option's value. */
  readonly variables?: Readonly<Record<string, string>>;
  /** CalQL that is added to the query over one process's records; `{}` as above. */
  readonly local?: string;
  /** CalQL that is added to the query over all processes' rows; `{}` as above. */
  readonly cross?: string;
}

/** Options by group. */
export type OptionTable = Readonly<Partial<Record<Category, readonly Option[]>>>;

/** A column of a report: what is computed, its title, its unit. */
export type Column = readonly [expression: string, title?: string, unit?: string];

/** A SELECT clause. */
export function columns(...rows: Column[]): string {
  return "select " + rows.map(([expression, title, unit]) =>
    expression +
    (title === undefined ? "" : ` as ${quoteWord(title)}`) +
    (unit === undefined ? "" : ` unit ${quoteWord(unit)}`)
  ).join(",");
}

/** Columns min, avg and max of something, each by its own operator. */
export function spread(
  expression: (over: string) => string,
  title: (over: string) => string,
  unit?: string,
): Column[] {
  return ["min", "avg", "max"].map((over) => [expression(over), title(over), unit] as const);
}

/** Options whose values are those of variables. */
export function settings(
  ...rows: readonly (readonly [name: string, variable: string, about: string])[]
): Option[] {
  return rows.map(([name, variable, about]) => {
    return word(name, about, { variables: { [variable]: "{}" } });
  });
}

/** Effect of an option. */
type Effect = Omit<Option, "name" | "type" | "about">;

/** An option that is a switch. */
export function flag(name: string, about: string, effect: Effect = {}): Option {
  return { name, type: "bool", about, ...effect };
}

/** An option that is a text. */
export function word(name: string, about: string, effect: Effect = {}): Option {
  return { name, type: "string", about, ...effect };
}

/** One more key column of rows. */
export function keyColumn(name: string, about: string, attribute: string, title: string): Option {
  const query = `${columns([attribute, title])} group by ${attribute}`;
  return flag(name, about, { local: query, cross: query });
}

/** A LET clause. */
export function lets(terms: Readonly<Record<string, string>>): string {
  return "let " + Object.entries(terms).map(([name, term]) => `${name}=${term}`).join(",");
}

/** Clauses of one query, in their order. */
export function clauses(...all: string[]): string {
  return all.join(" ");
}

/** A word of CalQL, in quotes if it needs them. */
export function quoteWord(text: string): string {
  return /^[\w.#:%@/+-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** `first(sum#A,A)`: a metric whether rows were aggregated before or are snapshots. */
export function kept(operator: string, attribute: string): string {
  return `first(${operator}#${attribute},${attribute})`;
}
