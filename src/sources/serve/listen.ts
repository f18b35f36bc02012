/**
 * The collector's socket, and who may use it.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import { clearSocket, Listener, withUmask } from "../../os/socket.ts";

/** Users that may connect. */
export interface Audience {
  /**
   * Users that may connect, in addition to root; `undefined`: all users that the socket's mode
   * allows.
   */
  readonly users: ReadonlySet<number> | undefined;
  /** Group of the socket. */
  readonly group: number | undefined;
}

/**
 * Listens if no other process does; the socket of a killed collector is removed.
 *
 * @throws {AccessError} If another collector listens, or another file is there.
 */
export function listenForMonitors(path: string, { users, group }: Audience): Listener {
  const inUse = clearSocket(path);
  if (inUse !== undefined) {
    throw new AccessError({
      action: "listen on",
      target: path,
      expected: "nothing there",
      found: inUse === "file" ? "something that is no socket" : "another collector",
      remedy: "choose another with --socket",
    });
  }
  const listener = withUmask(0o177, () => new Listener(path));
  if (group !== undefined) Deno.chownSync(path, null, group);
  Deno.chmodSync(path, users !== undefined ? 0o666 : group !== undefined ? 0o660 : 0o600);
  return listener;
}
