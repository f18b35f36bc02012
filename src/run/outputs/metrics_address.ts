/**
 * Addresses of `--metrics`: `unix:PATH`, `PORT`, `HOST:PORT`. A host is in numbers, or `localhost`; left
 * out, it is this node alone.
 * @module
 */
import { unusable } from "../../core/errors.ts";
import type { PortAddress } from "../../os/socket.ts";

/** Address to listen on: a path, or a port. */
export type MetricsAddress = string | PortAddress;

/** @throws {UsageError} If it is no address. */
export function parseMetricsAddress(text: string): MetricsAddress {
  if (text.startsWith("unix:") && text.length > 5) return text.slice(5);
  const match = /^(?:(.*):)?(\d{1,5})$/.exec(text);
  const port = match === null ? 0 : Number(match[2]);
  const bytes = match === null ? undefined : hostBytes(match[1] ?? "localhost");
  if (bytes !== undefined && port >= 1 && port <= 65535) return { bytes, port };
  const expected =
    "unix:PATH, PORT, or a numeric address with a port, such as 127.0.0.1:9417 or [::1]:9417";
  throw unusable(`--metrics ${text}`, expected, text);
}

function hostBytes(host: string): Uint8Array | undefined {
  if (host === "localhost") return Uint8Array.of(127, 0, 0, 1);
  const long = /^\[([0-9a-fA-F:]+)\]$/.exec(host)?.[1];
  if (long !== undefined) return longBytes(long);
  const parts = host.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return undefined;
  return parts.every((part) => Number(part) < 256) ? Uint8Array.from(parts, Number) : undefined;
}

/** RFC 4291, 2.2: eight groups, one run of zeros left out. */
function longBytes(text: string): Uint8Array | undefined {
  const halves = text.split("::").map((half) => half === "" ? [] : half.split(":"));
  if (halves.length > 2) return undefined;
  const given = halves.flat();
  const missing = 8 - given.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...halves[0], ...Array(missing).fill("0"), ...halves[1] ?? []];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return Uint8Array.from(groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  }));
}
