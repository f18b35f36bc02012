/**
 * Names of C++ and Rust as people write them: `_ZN4heat6Solver4stepEi` is `heat::Solver::step`. Truth: the
 * Itanium C++ ABI, "Mangling"; Rust's own (legacy) names are a subset of it with a hash at the end.
 *
 * Functions, members, constructors and destructors of plain scopes; of templates and operators the
 * file's own name is the one to use.
 * @module
 */

const HASH = /^h[0-9a-f]{16}$/;
const NAMELESS = /^_GLOBAL__N_/;

/** The qualified name without arguments; `undefined` where a name is no such one. */
export function plainName(mangled: string): string | undefined {
  if (!mangled.startsWith("_Z")) return undefined;
  let at = 2;
  const parts: string[] = [];
  const isNested = mangled[at] === "N";
  if (isNested) at += 1 + (/^[rVKRO]*/.exec(mangled.slice(at + 1))?.[0].length ?? 0);
  for (;;) {
    if (mangled.startsWith("St", at) && parts.length === 0) {
      parts.push("std");
      at += 2;
      continue;
    }
    if (mangled[at] === "L") at++; // of one file alone
    const digits = /^[1-9]\d*/.exec(mangled.slice(at, at + 6))?.[0];
    if (digits !== undefined) {
      const start = at + digits.length, end = start + Number(digits);
      if (end > mangled.length) return undefined;
      const part = mangled.slice(start, end);
      parts.push(NAMELESS.test(part) ? "(anonymous namespace)" : part);
      at = end;
    } else if (isNested && /^[CD][0-5]/.test(mangled.slice(at))) {
      const owner = parts.at(-1);
      if (owner === undefined) return undefined;
      parts.push(mangled[at] === "C" ? owner : `~${owner}`);
      at += 2;
    } else if (isNested && mangled[at] === "E") break;
    else return undefined;
    // What stands alone ends with its name.
    if (!isNested && parts[0] !== "std") break;
    if (!isNested && parts.length === 2) break;
  }
  if (mangled[at] === "I") return undefined;
  if (parts.length > 1 && HASH.test(parts.at(-1)!)) parts.pop();
  return parts.length > 0 ? parts.join("::") : undefined;
}
