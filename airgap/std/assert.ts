/**
 * Stands for `@std/assert` if JSR does not answer: what the tests call of it.
 *
 * Values are compared by `node:assert`, which is stricter than @std: inside objects 0 differs from -0, and
 * an object without a prototype from a plain one. A test that passes here passes there.
 */
import nodeAssert, { AssertionError } from "node:assert";

export { AssertionError };

// deno-lint-ignore no-explicit-any
type AnyClass<T> = abstract new (...args: any[]) => T;

function fail(message: string, msg: string | undefined): never {
  throw new AssertionError({ message: msg ? `${message}: ${msg}` : message });
}

/** Fails unless the expression is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) fail("Expected a value that is true", msg);
}

/** Fails unless both have the same structure. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (actual === expected) return; // 0 and -0 too
  try {
    nodeAssert.deepStrictEqual(actual, expected);
  } catch (error) {
    fail((error as Error).message, msg);
  }
}

/** Fails if both have the same structure. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.notDeepStrictEqual(actual, expected, msg);
}

/** Fails unless both numbers are within `tolerance` (default: 1e-7 of the expected one). */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance = Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7,
  msg?: string,
): void {
  const delta = Math.abs(expected - actual);
  if (Object.is(actual, expected) || delta <= tolerance) return;
  fail(`Expected ${actual} within ${tolerance} of ${expected}, the difference is ${delta}`, msg);
}

/** Fails unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) fail(`Expected "${actual}" to match ${expected}`, msg);
}

/** Fails if the text matches. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) fail(`Expected "${actual}" not to match ${expected}`, msg);
}

/** Fails unless the text contains the other. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) fail(`Expected "${actual}" to contain "${expected}"`, msg);
}

/** Fails unless the function throws an error of a class, with a text in its message; returns the error. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass?: AnyClass<E>,
  msgIncludes = "",
  msg?: string,
): E {
  try {
    fn();
  } catch (error) {
    return checked(error, ErrorClass, msgIncludes, msg);
  }
  fail("Expected the function to throw", msg);
}

/** Fails unless the promise is rejected by an error of a class, with a text in its message; returns the error. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: AnyClass<E>,
  msgIncludes = "",
  msg?: string,
): Promise<E> {
  let promise: PromiseLike<unknown> | undefined;
  try {
    promise = fn();
  } catch {
    fail("Expected a promise that is rejected, the function throws", msg);
  }
  try {
    await promise;
  } catch (error) {
    return checked(error, ErrorClass, msgIncludes, msg);
  }
  fail("Expected the promise to be rejected", msg);
}

function checked<E extends Error>(
  error: unknown,
  ErrorClass: AnyClass<E> | undefined,
  text: string,
  msg: string | undefined,
): E {
  if (ErrorClass !== undefined && !(error instanceof ErrorClass)) {
    fail(`Expected an error of ${ErrorClass.name}, found ${Deno.inspect(error)}`, msg);
  }
  const { message } = error as E;
  if (!message.includes(text)) fail(`Expected "${text}" in "${message}"`, msg);
  return error as E;
}
