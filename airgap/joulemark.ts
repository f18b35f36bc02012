/**
 * The library under its own name, for examples in the documentation: an import map that names a
 * file above its own folder makes Deno take the map of the folder above instead.
 */
export * from "../mod.ts";
