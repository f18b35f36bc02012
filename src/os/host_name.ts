/**
 * Name of this node.
 * @module
 */
import { readText } from "./files.ts";

/** Name of this node, as the kernel has it (hostname(7)); "": it is not known. */
export function ownHostName(): string {
  return readText("/proc/sys/kernel/hostname")?.trim() ?? "";
}

/** Is it the name of this node, with its domain or without? */
export function isThisHost(name: string): boolean {
  return name.split(".")[0] === ownHostName().split(".")[0];
}
