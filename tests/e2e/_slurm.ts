/**
 * Slurm on this machine with two virtual nodes, in a directory of its own and on ports of its own:
 * slurm.conf(5), NodeHostname and Port for several slurmd on one host. Needs root, since slurmd does.
 */

const CONF = (dir: string, host: string, port: number) =>
  `ClusterName=joulemark
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${dir}/munge.socket
CryptoType=crypto/munge
StateSaveLocation=${dir}/state
SlurmdSpoolDir=${dir}/spool-%n
SlurmctldPidFile=${dir}/ctld.pid
SlurmdPidFile=${dir}/d-%n.pid
SlurmctldLogFile=${dir}/ctld.log
SlurmdLogFile=${dir}/d-%n.log
SlurmctldPort=${port}
SlurmdPort=${port + 1}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=${host} NodeAddr=127.0.0.1 Port=[${port + 2}-${
    port + 3
  }] CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;

function has(program: string): boolean {
  const found = new Deno.Command("sh", { args: ["-c", `command -v ${program}`] }).outputSync();
  return found.success;
}

/** Why there can be no Slurm here; `undefined`: there can. */
export const NO_SLURM: string | undefined = (() => {
  const missing = ["slurmctld", "slurmd", "srun", "munged"].filter((name) => !has(name));
  if (missing.length > 0) return `no ${missing.join(", ")} (Debian: slurm-wlm, munge)`;
  return Deno.uid() === 0 ? undefined : "slurmd needs root";
})();

/** A running Slurm of two nodes. */
export class Slurm implements AsyncDisposable {
  readonly #dir: string;
  readonly #daemons: Deno.ChildProcess[] = [];

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * @param more Further lines of slurm.conf. @default none
   * @throws If it does not come up.
   */
  static async start(more = ""): Promise<Slurm> {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-slurm-" });
    const slurm = new Slurm(dir);
    const port = 20000 + 4 * (Deno.pid % 10000);
    Deno.mkdirSync(`${dir}/state`);
    Deno.chmodSync(dir, 0o755);
    Deno.writeTextFileSync(`${dir}/slurm.conf`, CONF(dir, Deno.hostname(), port) + more);
    Deno.writeFileSync(`${dir}/munge.key`, crypto.getRandomValues(new Uint8Array(128)), {
      mode: 0o400,
    });
    // munged does not like directories that others can write to; as root it may be told so.
    slurm.#daemon("munged", [
      "--foreground",
      "--force",
      `--key-file=${dir}/munge.key`,
      `--socket=${dir}/munge.socket`,
      `--pid-file=${dir}/munge.pid`,
      `--log-file=${dir}/munge.log`,
      `--seed-file=${dir}/munge.seed`,
    ]);
    await slurm.#until(() => [...Deno.readDirSync(dir)].some((e) => e.name === "munge.socket"));
    slurm.#daemon("slurmctld", ["-D"]);
    for (const node of ["n1", "n2"]) slurm.#daemon("slurmd", ["-D", "-N", node]);
    await slurm.#until(() => {
      const idle = slurm.#command("sinfo", ["-h", "-t", "idle", "-o", "%D"]).outputSync();
      return new TextDecoder().decode(idle.stdout).trim() === "2";
    });
    return slurm;
  }

  /** `srun ARGS`, in a folder. */
  srun(cwd: string, args: string[]): Deno.Command {
    return this.#command("srun", args, cwd);
  }

  /** `sbatch --wait ARGS`, in a folder: a job's script. */
  sbatch(cwd: string, args: string[]): Deno.Command {
    return this.#command("sbatch", ["--wait", ...args], cwd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#daemons.reverse()) {
      daemon.kill("SIGTERM");
      await daemon.status;
    }
    Deno.removeSync(this.#dir, { recursive: true });
  }

  #daemon(program: string, args: string[]): void {
    const options = {
      args,
      env: this.#env,
      stdout: "null",
      stderr: "null",
      stdin: "null",
    } as const;
    this.#daemons.push(new Deno.Command(program, options).spawn());
  }

  #command(program: string, args: string[], cwd?: string): Deno.Command {
    return new Deno.Command(program, {
      args,
      cwd,
      env: this.#env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  }

  get #env() {
    return { SLURM_CONF: `${this.#dir}/slurm.conf` };
  }

  async #until(isTrue: () => boolean): Promise<void> {
    for (let i = 0; i < 150; i++) {
      if (isTrue()) return;
      await new Promise((go) => setTimeout(go, 200));
    }
    throw new Error(`Slurm did not come up; see ${this.#dir}`);
  }
}
