/**
 * The monitor's private socket: where it is, who may use it, and its messages.
 *
 * The client sends one line, the mark; the monitor writes its record and answers `ok`, or one line
 * that begins with `error`. Root and the monitor's own user may mark, by the credentials that the
 * kernel recorded.
 * @module
 */
import { AccessError, UsageError } from "../../core/errors.ts";
import { libc } from "../../os/libc.ts";
import { connectTo, Listener } from "../../os/socket.ts";

const VARIABLE = "JOULEMARK_MONITOR_SOCKET";
const ANSWER_SECONDS = 30;
/** A mark is one line of the raw stats file. */
export const MAX_MARK_BYTES = 4096;

/**
 * Path of the socket: the variable's, else /run for root and the user's runtime directory for others.
 *
 * @throws {UsageError} If neither has one.
 */
export function monitorSocketPath(): string {
  const given = Deno.env.get(VARIABLE);
  if (given !== undefined && given !== "") return given;
  if (libc().geteuid() === 0) return "/run/joulemark/monitor.sock";
  const runtime = Deno.env.get("XDG_RUNTIME_DIR");
  if (runtime !== undefined && runtime !== "") return `${runtime}/joulemark/monitor.sock`;
  throw new UsageError({
    action: "find the monitor's socket",
    expected: `${VARIABLE} or XDG_RUNTIME_DIR`,
    found: "neither",
    remedy: `set ${VARIABLE} to a path that only you can write to`,
  });
}

/** A monitor's listener, and the directory of its socket; without one marks cannot reach it. */
export interface MarkListener {
  readonly listener: Listener;
  readonly directory?: string;
}

/**
 * Listens on the monitor's socket. Without a usual place for it, records are written all the same.
 *
 * @param log Takes one line if marks cannot be taken.
 * @throws {AccessError} If another monitor has it, or the place that the user named cannot be used.
 */
export function listenForMarks(log: (line: string) => void): MarkListener {
  try {
    const path = monitorSocketPath();
    const directory = path.replace(/[^/]*$/, "") || ".";
    return { listener: listenAt(path, directory), directory };
  } catch (error) {
    const isNamed = (Deno.env.get(VARIABLE) ?? "") !== "";
    if (isNamed || !(error instanceof Error) || error instanceof OtherMonitor) throw error;
    log(`${error.message}. Records are written, but "joulemark mark" cannot reach this monitor`);
    return { listener: Listener.unreachable() };
  }
}

/** Another monitor answers on the socket. */
class OtherMonitor extends AccessError {}

function listenAt(path: string, directory: string): Listener {
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const found = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new AccessError({
      action: "make",
      target: directory,
      found,
      remedy: `set ${VARIABLE} to a path that you can write to`,
    });
  }
  using other = connectTo(path, 1);
  if (other !== undefined) {
    throw new OtherMonitor({
      action: "listen on",
      target: path,
      expected: "no other monitor",
      found: "one that answers",
      remedy: `end it, or set ${VARIABLE} for this one`,
    });
  }
  try {
    Deno.removeSync(path);
  } catch {
    // none was left behind
  }
  const listener = new Listener(path);
  Deno.chmodSync(path, 0o600);
  return listener;
}

/** Result of a mark. */
export type MarkAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly isListening: boolean; readonly reason: string };

/**
 * Sends a mark to the running monitor and waits until it is written.
 *
 * @throws {AccessError} If the socket may not be used.
 */
export function sendMark(path: string, text: string): MarkAnswer {
  using connection = connectTo(path, ANSWER_SECONDS);
  if (connection === undefined) {
    return { ok: false, isListening: false, reason: "no monitor is running" };
  }
  // Refused peers get their answer before they have sent anything: read it even if sending fails.
  connection.writeLine(text);
  const answer = connection.readLine();
  if (answer === "ok") return { ok: true };
  const reason = answer?.replace(/^error /, "") ?? "the monitor did not answer";
  return { ok: false, isListening: true, reason };
}
