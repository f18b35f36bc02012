/**
 * A host that lets a reader touch only what it declared.
 *
 * `needs` is what `doctor` prints and what the executable's permissions are made from, so it has to
 * be true: a path outside is a mistake in the reader and throws.
 * @module
 */
import type { Access, CpuidLeaf, Host, KeptFile, Registers } from "./host.ts";
import type { Absence, Needs } from "../signal.ts";
import type { PlatformTopology } from "./topology.ts";

/** A host that refuses what its reader did not declare. */
export class ScopedHost implements Host {
  readonly #owner: string;
  readonly #files: readonly string[];

  /**
   * @param inner The host below: for the few extensions that not every host has.
   * @param owner Name of the reader, for the message.
   */
  constructor(readonly inner: Host, owner: string, needs: Needs) {
    this.#owner = owner;
    this.#files = needs.files;
  }

  get root(): string {
    return this.inner.root;
  }

  get simulated(): boolean {
    return this.inner.simulated;
  }

  get live(): boolean {
    return this.inner.live;
  }

  get topology(): PlatformTopology {
    return this.inner.topology;
  }

  probe(path: string): Access {
    return this.inner.probe(this.#allowed(path));
  }

  list(path: string): string[] {
    return this.inner.list(this.#allowed(path));
  }

  readText(path: string): string | undefined {
    return this.inner.readText(this.#allowed(path));
  }

  readLink(path: string): string | undefined {
    return this.inner.readLink(this.#allowed(path));
  }

  keep(path: string): KeptFile {
    return this.inner.keep(this.#allowed(path));
  }

  registers(cpu: number): Registers {
    this.#allowed(`/dev/cpu/${cpu}/msr`);
    return this.inner.registers(cpu);
  }

  probeRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence) {
    this.#allowed(`/dev/cpu/${cpu}/msr`);
    return this.inner.probeRegisters(cpu);
  }

  cpuid(cpu: number, leaf: number, sub?: number): CpuidLeaf | undefined {
    this.#allowed(`/dev/cpu/${cpu}/cpuid`);
    return this.inner.cpuid(cpu, leaf, sub);
  }

  #allowed(path: string): string {
    for (const prefix of this.#files) {
      // A declared directory covers itself and all below it.
      if (path.startsWith(prefix) || `${path}/` === prefix) return path;
    }
    throw new TypeError(`reader ${this.#owner} touches ${path}, which its needs do not name`);
  }
}
