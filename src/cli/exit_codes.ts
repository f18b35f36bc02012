/** Exit statuses, in one place. */
import { isHumanError } from "../core/errors.ts";

/** See the field names. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A comparison with `--strict` that shows neither a change nor proof of the limit. */
  undecided: 3,
  notExecutable: 126,
  notFound: 127,
} as const;

/** Status for an error: 2 for errors in the user's request, else 1. */
export function exitCode(error: unknown): number {
  if (!isHumanError(error)) return EXIT.failed;
  return error.code === "usage" || error.code === "unknown-name" || error.code === "format"
    ? EXIT.usage
    : EXIT.failed;
}
