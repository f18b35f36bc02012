/** In which form this joulemark was built. */

/** `compiled` by deno compile, `packed` into Deno by the packer, or run from `source`. */
export function form(): "compiled" | "packed" | "source" {
  if ((globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed") return "packed";
  return Deno.build.standalone ? "compiled" : "source";
}
