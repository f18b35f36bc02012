/** Programs of others that read our files. */
import { succeeds, unless } from "./skipped.ts";

/** A reason to skip a test that needs these programs. */
export function without(...names: string[]): string | undefined {
  const missing = names.find((name) => !succeeds("sh", "-c", `command -v ${name}`));
  return unless(missing === undefined, `no ${missing}`);
}

/** Runs a program; its output, or an error with what it said. */
export function outputOf(command: string, args: string[], stdin?: string): string {
  const input = stdin === undefined ? undefined : Deno.makeTempFileSync();
  try {
    if (input !== undefined) Deno.writeTextFileSync(input, stdin!);
    const shell = `exec "$0" "$@" ${input === undefined ? "</dev/null" : `<'${input}'`}`;
    const out = new Deno.Command("sh", { args: ["-c", shell, command, ...args] }).outputSync();
    const text = new TextDecoder().decode(out.stdout), said = new TextDecoder().decode(out.stderr);
    if (!out.success) throw new Error(`${command} ${args.join(" ")}: ${said}${text}`);
    return text + said;
  } finally {
    if (input !== undefined) Deno.removeSync(input);
  }
}

/** A port of this node that nobody uses. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
