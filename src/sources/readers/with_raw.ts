/**
 * All readers, and the raw stats types as signals. Those are half of the code of all readers: a run
 * that names none of them goes without.
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import { READERS_BUT_RAW } from "./all.ts";
import { raw } from "./raw/signals.ts";

const AT = READERS_BUT_RAW.findIndex(({ name }) => name > raw.name);

/** By name. */
export const READERS: readonly Reader[] = READERS_BUT_RAW.toSpliced(AT, 0, raw);
