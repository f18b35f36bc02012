/** Is strace(1) here, and may one process trace another? */
export const HAS_STRACE = (() => {
  try {
    const args = ["-qq", "-o", "/dev/null", "true"];
    return new Deno.Command("strace", { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
})();
