/**
 * Stands for `@std/assert` where JSR does not answer: what the tests use of it. What is equal is decided as @std does
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

/** Fails unless the value is an error of that class whose message holds the text, or matches. */
function assertIsError<E extends Error = Error>(
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
