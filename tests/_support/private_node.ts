/**
 * Runs the executable against device files at their true paths: FUSE in a private mount namespace.
 *
 * Needs root, /dev/fuse, unshare(1), a C compiler and libfuse3's headers; where one is missing, the
 * tests are skipped and say which.
 *
 * @module
 */
import { assert } from "@std/assert";
import { compile, NO_COMPILER } from "./compiled.ts";
import { BINARY, NO_BINARY } from "./programs.ts";
import { withTimeLimit } from "./time_limit.ts";
import { NOT_ROOT, skippedWithout, succeeds, unless } from "./skipped.ts";

const SCRIPT = new URL("private_node.sh", import.meta.url).pathname;

function run(command: string, args: string[]): string | undefined {
  try {
    const out = new Deno.Command(command, { args, stdout: "piped", stderr: "null" }).outputSync();
    return out.success ? new TextDecoder().decode(out.stdout) : undefined;
  } catch {
    return undefined;
  }
}

const FUSE_FLAGS = run("pkg-config", ["--cflags", "--libs", "fuse3"])?.trim().split(/\s+/);

/** Why private nodes cannot be made here. */
export const NO_PRIVATE_NODE = NO_BINARY ?? NOT_ROOT ??
  unless(succeeds("test", "-c", "/dev/fuse"), "no /dev/fuse") ??
  unless(succeeds("unshare", "-m", "true"), "unshare -m is not allowed") ??
  NO_COMPILER ??
  unless(FUSE_FLAGS !== undefined, "no libfuse3 headers or pkg-config");

/** What a command on the node gave. */
export interface NodeOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Who runs what on the node. */
export interface Starting {
  readonly asNobody: boolean;
  /** @default the one under test */
  readonly executable?: string;
}

/** A node to run commands on. */
export interface PrivateNode {
  /** A folder that is the same inside and outside. */
  readonly dir: string;
  /** Runs the executable with arguments, in `dir`; as nobody where asked. */
  joulemark(args: string[], how?: boolean | Starting): Promise<NodeOutcome>;
  /** Breaks something: see register_fs.c. "" mends it. */
  breakIt(word: string): void;
  /** When the program of `programFor` has begun; a node takes a while to be made. */
  begun(): Promise<void>;
}

/** A program that lasts so many seconds, and says when it begins. */
export function programFor(seconds: number): string[] {
  return ["sh", "-c", `: > begun; exec sleep ${seconds}`];
}

/** A test on a private node. */
export function onPrivateNode(name: string, body: (node: PrivateNode) => Promise<void>): void {
  Deno.test({
    ...skippedWithout(name, NO_PRIVATE_NODE),
    async fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-node-" });
      try {
        Deno.chmodSync(dir, 0o777);
        const server = `${dir}/register_fs`;
        compile("_support/register_fs.c", server, FUSE_FLAGS!);
        Deno.writeTextFileSync(`${dir}/control`, "");
        await withTimeLimit(() =>
          body({
            dir,
            joulemark: (args, how = false) => {
              return inside(dir, server, args, typeof how === "boolean" ? { asNobody: how } : how);
            },
            breakIt: (word) => Deno.writeTextFileSync(`${dir}/control`, word + "\n"),
            begun: () => appears(`${dir}/begun`),
          })
        );
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

async function appears(path: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    try {
      Deno.statSync(path);
      return;
    } catch {
      await new Promise((go) => setTimeout(go, 50));
    }
  }
  throw new Error(`no ${path} within 30 s`);
}

async function inside(
  dir: string,
  server: string,
  args: string[],
  { asNobody, executable = BINARY }: Starting,
): Promise<NodeOutcome> {
  const nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
  const out = await new Deno.Command("unshare", {
    args: [
      ...["-m", "bash", SCRIPT, dir, server, executable],
      ...(asNobody ? nobody : []),
      `${dir}/joulemark`,
      ...args,
    ],
    cwd: dir,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const result = { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
  assert(!result.stderr.includes("mount:"), result.stderr);
  return result;
}
