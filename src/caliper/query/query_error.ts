/** The error of a query that cannot be understood. */

/**
 * A query that cannot be understood; the message is cali-query's.
 *
 * @example
 * ```ts
 * import { query, QueryError } from "joulemark";
 *
 * try {
 *   query("SELECT", []);
 * } catch (error) {
 *   if (!(error instanceof QueryError)) throw error;
 *   console.log(error.message, error.offset);
 * }
 * ```
 */
export class QueryError extends SyntaxError {
  /** Offset of the unexpected word or character in the text; -1 if not known. */
  readonly offset: number;
  /** Known words close to one that is unknown. */
  readonly near: readonly string[];
  /** A query that is not understood, and where. */
  constructor(message: string, offset: number, near: readonly string[] = []) {
    super(message);
    this.name = "QueryError";
    this.offset = offset;
    this.near = near;
  }
}
