/**
 * Stands for `@std/assert` where JSR does not answer. What is equal is decided as @std does
 * (`equal.ts`); the picture of a difference comes from `node:assert`.
 */
import nodeAssert from "node:assert";
import { equal } from "./equal.ts";

export { equal } from "./equal.ts";

/** What a failed assertion throws. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

// deno-lint-ignore no-explicit-any
type AnyClass<T> = abstract new (...args: any[]) => T;

/** Fails unless the expression is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Fails unless the expression is falsy. */
export function assertFalse(
  expr: unknown,
  msg = "",
): asserts expr is false | 0 | 0n | "" | null | undefined {
  if (expr) throw new AssertionError(msg);
}

/** Fails unless both have the same structure. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(
    `Values are not equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}

/** Fails if both have the same structure. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} not to be: ${show(expected)}${suffix(msg)}`,
  );
}

/** Fails unless both are the same value (`Object.is`). */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  throw new AssertionError(
    `Values are not strictly equal${suffix(msg)}\n${difference(actual, expected)}`,
  );
}

/** Fails if both are the same value (`Object.is`). */
export function assertNotStrictEquals<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  if (!Object.is(actual, expected)) return;
  throw new AssertionError(
    `Expected "actual" to not be strictly equal to: ${show(actual)}${suffix(msg)}`,
  );
}

/** Fails unless both numbers are within `tolerance` (default: 1e-7 of the expected one). */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void {
  if (Object.is(actual, expected)) return;
  const delta = Math.abs(expected - actual);
  const allowed = tolerance ??
    (Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7);
  if (delta <= allowed) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to be close to "${expected}": ` +
      `delta "${delta}" is greater than "${allowed}"${suffix(msg)}`,
  );
}

/** Fails unless `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) throw unordered(actual, ">", expected, msg);
}

/** Fails unless `actual >= expected`. */
export function assertGreaterOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  if (!(actual >= expected)) throw unordered(actual, ">=", expected, msg);
}

/** Fails unless `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) throw unordered(actual, "<", expected, msg);
}

/** Fails unless `actual <= expected`. */
export function assertLessOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  if (!(actual <= expected)) throw unordered(actual, "<=", expected, msg);
}

/** Fails unless the text matches. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  if (expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to match: "${expected}"${suffix(msg)}`,
  );
}

/** Fails if the text matches. */
export function assertNotMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not match: "${expected}"${suffix(msg)}`,
  );
}

/** Fails unless the text holds the other. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  msg?: string,
): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to contain: "${expected}"${suffix(msg)}`,
  );
}

/** Fails unless each expected item is in the list, by structure. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T> & object,
  expected: ArrayLike<T> & object,
  msg?: string,
): void {
  const all = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !all.some((other) => equal(item, other)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected actual: "${show(actual)}" to include: "${show(expected)}"${suffix(msg)}\n` +
      `missing: ${show(missing)}`,
  );
}

/** Fails unless the object holds all that the expected one holds, at every depth. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(partLike(actual, expected), expected as unknown, msg);
}

/** Fails for `null` and `undefined`. */
export function assertExists<T>(
  actual: T,
  msg?: string,
): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not be null or undefined${suffix(msg)}`,
  );
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expectedType: AnyClass<T>,
  msg = "",
): asserts actual is T {
  if (actual instanceof expectedType) return;
  const found = actual?.constructor?.name ?? String(actual);
  throw new AssertionError(
    `Expected object to be an instance of "${expectedType.name}" but was "${found}"${suffix(msg)}`,
  );
}

/** Fails if the value is an instance of the class. */
export function assertNotInstanceOf<A, T>(
  actual: A,
  unexpectedType: AnyClass<T>,
  msg?: string,
): asserts actual is Exclude<A, T> {
  if (!(actual instanceof unexpectedType)) return;
  throw new AssertionError(
    `Expected object to not be an instance of "${unexpectedType.name}"${suffix(msg)}`,
  );
}

/** Fails unless the value is an error of that class whose message holds the text, or matches. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: AnyClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) {
    throw new AssertionError(
      `Expected "error" to be an Error object${suffix(msg)}`,
    );
  }
  if (ErrorClass && !(error instanceof ErrorClass)) {
    throw new AssertionError(
      `Expected error to be instance of "${ErrorClass.name}", ` +
        `but was "${(error as Error).constructor?.name}"${suffix(msg)}`,
    );
  }
  const message = (error as Error).message;
  const isWanted = !msgMatches ||
    (typeof msgMatches === "string" ? message.includes(msgMatches) : msgMatches.test(message));
  if (isWanted) return;
  const wanted = typeof msgMatches === "string" ? JSON.stringify(msgMatches) : String(msgMatches);
  throw new AssertionError(
    `Expected error message to include ${wanted}, but got ${JSON.stringify(message)}${suffix(msg)}`,
  );
}

/** Fails unless the function throws (an error of that class, with that text); returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  classOrMsg?: AnyClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  const isText = typeof classOrMsg === "string";
  const text = isText ? classOrMsg : msg;
  try {
    fn();
  } catch (error) {
    return checkedError(
      error,
      isText ? undefined : classOrMsg,
      msgIncludes,
      text,
      "thrown",
    );
  }
  throw new AssertionError(`Expected function to throw${suffix(text)}`);
}

/** Fails unless the promise is rejected (by an error of that class, with that text). */
export function assertRejects(
  fn: () => PromiseLike<unknown>,
  msg?: string,
): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: AnyClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: AnyClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const isText = typeof classOrMsg === "string";
  const text = isText ? classOrMsg : msg;
  let promise: PromiseLike<unknown> | undefined;
  try {
    promise = fn();
  } catch {
    // a synchronous throw is no rejection
  }
  if (typeof promise?.then !== "function") {
    throw new AssertionError(
      `Function throws when expected to reject${suffix(text)}`,
    );
  }
  try {
    await promise;
  } catch (error) {
    return checkedError(
      error,
      isText ? undefined : classOrMsg,
      msgIncludes,
      text,
      "rejected",
    );
  }
  throw new AssertionError(`Expected function to reject${suffix(text)}`);
}

/** Fails always. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

/** Fails: this place is not to be reached. */
export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${suffix(msg)}`);
}

/** Fails: this is still to be written. */
export function unimplemented(msg?: string): never {
  throw new AssertionError(`Unimplemented${suffix(msg)}`);
}

function checkedError<E extends Error>(
  error: unknown,
  ErrorClass: AnyClass<E> | undefined,
  msgIncludes: string | undefined,
  msg: string | undefined,
  verb: string,
): unknown {
  if (!ErrorClass) return error;
  if (!(error instanceof Error)) {
    throw new AssertionError(`A non-Error object was ${verb}${suffix(msg)}`);
  }
  assertIsError(error, ErrorClass, msgIncludes, msg);
  return error;
}

function partLike(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.slice(0, expected.length).map((item, i) => partLike(item, expected[i]));
  }
  if (!isPlain(actual) || !isPlain(expected)) return actual;
  const part: Record<PropertyKey, unknown> = Object.create(
    Object.getPrototypeOf(expected),
  );
  for (const key of Reflect.ownKeys(expected)) {
    if (key in actual) part[key] = partLike(actual[key], expected[key]);
  }
  return part;
}

function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date) && !(value instanceof RegExp) &&
    !(value instanceof Map) &&
    !(value instanceof Set);
}

function unordered(
  actual: unknown,
  sign: string,
  expected: unknown,
  msg?: string,
): AssertionError {
  return new AssertionError(
    msg ?? `Expect ${show(actual)} ${sign} ${show(expected)}`,
  );
}

function suffix(msg: string | undefined): string {
  return msg ? `: ${msg}` : ".";
}

function show(value: unknown): string {
  return Deno.inspect(value, {
    depth: 20,
    iterableLimit: 200,
    strAbbreviateSize: 100_000,
  });
}

function difference(actual: unknown, expected: unknown): string {
  try {
    nodeAssert.deepStrictEqual(actual, expected);
  } catch (error) {
    return (error as Error).message;
  }
  return `${show(actual)} is not ${show(expected)}`;
}
