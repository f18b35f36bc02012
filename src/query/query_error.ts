/** The error of a query that cannot be understood. */

/** A query that cannot be understood; the message is cali-query's. */
export class QueryError extends SyntaxError {
  /** Where in the text the word or character stands that was not expected; -1 if not known. */
  readonly offset: number;
  /** Known words close to one that is unknown. */
  readonly near: readonly string[];
  constructor(message: string, offset: number, near: readonly string[] = []) {
    super(message);
    this.name = "QueryError";
    this.offset = offset;
    this.near = near;
  }
}
