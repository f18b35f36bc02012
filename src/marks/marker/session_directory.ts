/**
 * Joining a run from inside a TypeScript program: whether a session exists for this process, and its identity in it.
 *
 * @module
 */
import {
  HEADER,
  SESSION,
  SESSION_FILE,
  SESSION_MAGIC,
  SESSION_VARIABLE,
  SESSION_VERSION,
} from "../../core/events/ring_layout.ts";
import { closeFile, O, openFile, readLinkTarget, readWhole } from "../../os/files.ts";
import { LIBC_PATHS } from "../../os/bind.ts";
import { libc } from "../../os/libc.ts";
import { isPrivate } from "../../os/trusted_file.ts";
import { GrowingFile } from "./growing_file.ts";
import { RingWriter } from "./ring_writer.ts";

const AT_RANDOM = 25n;

/** Makes this program's ring file; `undefined` when there is no session for us. */
export function joinSession(): RingWriter | undefined {
  if (!granted({ name: "env", variable: SESSION_VARIABLE })) return undefined;
  const directory = Deno.env.get(SESSION_VARIABLE);
  if (directory === undefined || !directory.startsWith("/")) return undefined;
  // Asked before they are needed, so that no prompt appears.
  if (!LIBC_PATHS.every((path) => granted({ name: "ffi", path }))) return undefined;
  if (!isOurs(directory)) return undefined;
  const pid = libc().getpid();
  const file = GrowingFile.make(`${directory}/${pid}`);
  if (file === undefined) return undefined;
  const forProcess = !("WorkerGlobalScope" in globalThis);
  const ring = RingWriter.make(file, {
    pid,
    tid: forProcess ? pid : threadId() ?? pid,
    execId: execId(),
    affinity: affinity(),
    forProcess,
  });
  if (ring === undefined) file.remove();
  return ring;
}

function granted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** A directory of ours that no other user can enter, with a session of our version. */
function isOurs(directory: string): boolean {
  if (!isPrivate(directory)) return false;
  const fd = openFile(`${directory}/${SESSION_FILE}`, O.RDONLY | O.NOFOLLOW);
  if (fd < 0) return false;
  const session = new Uint8Array(SESSION.bytes);
  const n = libc().read(fd, session, BigInt(session.length));
  closeFile(fd);
  return n === BigInt(SESSION.bytes) && session[7] === SESSION_VERSION &&
    new TextDecoder().decode(session.subarray(0, 7)) === SESSION_MAGIC;
}

/** The calling thread's own number: /proc/thread-self is "PID/task/TID". */
function threadId(): number | undefined {
  const match = /\/task\/(\d+)$/.exec(readLinkTarget("/proc/thread-self") ?? "");
  return match === null ? undefined : Number(match[1]);
}

/** First 8 bytes where the auxiliary vector's AT_RANDOM points: getauxval(3). */
function execId(): Uint8Array {
  const id = new Uint8Array(8);
  const vector = readWhole("/proc/self/auxv");
  if (vector === undefined) return id;
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength);
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (view.getBigUint64(at, true) !== AT_RANDOM) continue;
    libc().peek(id, view.getBigUint64(at + 8, true), 8n);
    break;
  }
  return id;
}

/** sched_getaffinity(2) needs room for all CPUs of the node; the layout has it for the first. */
function affinity(): Uint8Array {
  const mask = new Uint8Array(8192);
  libc().schedGetaffinity(0, BigInt(mask.length), mask);
  return mask.slice(0, HEADER.affinityBytes);
}
