/** Programs of others that read our files: each test that needs one says so and is skipped. */

/** Is a program there? */
export function hasProgram(name: string): boolean {
  const found = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" })
    .outputSync();
  if (!found.success) console.log(`skipped: no ${name}`);
  return found.success;
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
