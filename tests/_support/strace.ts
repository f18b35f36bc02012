import { succeeds, unless } from "./skipped.ts";

/** Tests that trace processes: strace(1) may be missing, or one process may not trace another. */
export const NO_STRACE = unless(
  succeeds("strace", "-qq", "-o", "/dev/null", "true"),
  "strace is missing or may not trace",
);
