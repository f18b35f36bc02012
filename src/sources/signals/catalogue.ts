/**
 * The catalogue: what every name stands for on this node, and why.
 *
 * Names are those of readers' rows, of the application's signals, of calculated signals, and
 * aliases, which stand for one source each. Readers are probed only when one of their names is requested: a
 * run that wants package energy by registers never lists GPUs.
 * @module
 */
import { UnknownNameError } from "../../core/errors.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import { ScopedHost } from "../../core/machine/scoped_host.ts";
import type {
  Absence,
  Offer,
  OfferedSignal,
  SignalProvider,
  SignalRow,
} from "../../core/signal.ts";
import { type Alias, aliasesWith, bareName } from "./alias.ts";
import type { NameTable, ResolvedName } from "./batch.ts";
import { DERIVED, type DerivedSignal } from "./derived.ts";

/** The catalogue's entry for one name. */
export interface CatalogueEntry {
  /** Name as requested. */
  readonly name: string;
  /** Domain, unit and behavior. */
  readonly row: SignalRow;
  /** The source here, or why there is none. */
  readonly state:
    | { readonly ok: true; readonly signal: OfferedSignal }
    | ({ readonly ok: false } & Absence);
  /** Prefix of the reader, `derived`, `application`. */
  readonly group: string;
  /** The name that an alias stands for here. */
  readonly aliasFor?: string;
  /**
   * Signals that an alias could resolve to, best first, with the reasons against them: computed
   * when read.
   */
  readonly candidates?: readonly Candidate[];
}

/** One possible source of an alias. */
export interface Candidate {
  /** Name of the signal. */
  readonly name: string;
  /** True if the alias resolves to this candidate here. */
  readonly chosen: boolean;
  /** Why it was chosen, or why not. */
  readonly why: string;
}

/** Parts that a catalogue is made from. */
export interface CatalogueOptions {
  /** The node. */
  readonly host: Host;
  /** Sources in order of preference. */
  readonly readers: readonly Reader[];
  /** Names of readers to leave out, in any case. @default none */
  readonly without?: readonly string[];
  /** Signals that come from the application, filled in after the counters. @default none */
  readonly application?: readonly SignalProvider[];
  /** Rows known to come from an application, for names without one. @default none */
  readonly applicationRows?: readonly SignalRow[];
  /** Other names of the application's signals. @default none */
  readonly applicationAliases?: Readonly<Record<string, string>>;
}

/** Kinds of known names. */
type Known =
  | { kind: "reader"; row: SignalRow; reader: Reader }
  | { kind: "application"; row: SignalRow; provider?: SignalProvider; signal?: OfferedSignal }
  | { kind: "derived"; row: SignalRow; derived: DerivedSignal }
  | { kind: "alias"; row: SignalRow; alias: Alias };

type Resolved = Exclude<ResolvedName, { kind: "unknown" }>;

/** A row with its source, so that the message about an absent one can name its source. */
interface Found {
  readonly resolved: Resolved;
  readonly remedy?: string;
  readonly lack?: Absence["kind"];
  readonly aliasFor?: string;
  /** Asks sources that nothing else needs. */
  readonly candidates?: () => readonly Candidate[];
}

const ABSENT = "absent";
/** Why a candidate is absent whose reader is not built in: unrelated to the node. */
const NO_SIGNAL = "no such signal";
const ASK_DOCTOR = 'run "joulemark doctor" for what would open it, and the risk';
/**
 * Prefix with the inputs on the way to a reason: shown by `--info`, removed in lists of reasons.
 */
const NEEDS = /^(?:needs \S+: )+/;

/** Builds the catalogue of a node; nothing is opened, readers are probed when needed. */
export function buildCatalogue(options: CatalogueOptions): Catalogue {
  return new Catalogue(options);
}

/**
 * The names of one node.
 *
 * @example
 * ```ts
 * import { openHost, READERS, SignalCatalogue } from "joulemark";
 *
 * const catalogue = new SignalCatalogue({ host: openHost(""), readers: READERS });
 * const absent = catalogue.list("ENERGY").filter(({ state }) => !state.ok);
 * console.log(absent.map(({ name }) => name));
 * ```
 */
export class Catalogue implements NameTable {
  readonly #host: Host;
  readonly #readers: readonly Reader[];
  readonly #without: ReadonlySet<string>;
  readonly #known = new Map<string, Known>();
  readonly #found = new Map<string, Found>();
  readonly #offers = new Map<Reader, Offer>();
  readonly #providers = new Map<Reader, SignalProvider>();
  /** Names being resolved, to answer a circle with "absent" instead of running in it. */
  readonly #open = new Set<string>();

  /** Probes every reader, and settles names. */
  constructor(options: CatalogueOptions) {
    this.#host = options.host;
    this.#readers = options.readers;
    this.#without = new Set((options.without ?? []).map((name) => {
      const reader = options.readers.find((r) =>
        r.name.toUpperCase() === name.trim().toUpperCase()
      );
      if (reader !== undefined) return reader.name;
      throw new UnknownNameError("source", name, options.readers.map((r) => r.name));
    }));
    for (const alias of aliasesWith(options.readers)) {
      this.#add({ kind: "alias", row: alias.row, alias });
    }
    for (const derived of DERIVED) this.#add({ kind: "derived", row: derived.row, derived });
    for (const reader of options.readers) {
      for (const row of reader.signals) this.#add({ kind: "reader", row, reader });
    }
    for (const row of options.applicationRows ?? []) this.#add({ kind: "application", row });
    for (const provider of options.application ?? []) {
      for (const signal of provider.signals) {
        this.#add({ kind: "application", row: signal.row, provider, signal });
      }
    }
    for (const [name, target] of Object.entries(options.applicationAliases ?? {})) {
      const row = this.#known.get(target)?.row;
      if (row === undefined) continue;
      const alias = { row: { ...row, name }, candidates: [target] };
      this.#add({ kind: "alias", row: alias.row, alias });
    }
  }

  /** Meaning of a name on this node; see {@link ResolvedName}. */
  resolve(name: string): ResolvedName {
    const key = this.#key(name);
    return key === undefined ? { kind: "unknown" } : this.#find(key).resolved;
  }

  /** All known names, sorted, whether they have a source here or not. */
  names(): string[] {
    return [...this.#known.keys()].sort();
  }

  /** Names that have a source here, sorted; probes all readers. */
  availableNames(): string[] {
    return this.list().flatMap((entry) => entry.state.ok ? [entry.name] : []);
  }

  /**
   * Entries by name.
   *
   * @param word Keeps those whose name or description holds it, in any case. @default all
   */
  list(word = ""): CatalogueEntry[] {
    const wanted = word.toLowerCase();
    return this.names().filter((name) => {
      const { row } = this.#known.get(name)!;
      return `${name} ${row.about}`.toLowerCase().includes(wanted);
    }).map((name) => this.info(name)!);
  }

  /** Catalogue entry of a name; `undefined` for an unknown one. */
  info(name: string): CatalogueEntry | undefined {
    const key = this.#key(name);
    if (key === undefined) return undefined;
    const known = this.#known.get(key)!;
    const { resolved, remedy, lack, aliasFor, candidates } = this.#find(key);
    const state: CatalogueEntry["state"] = resolved.kind === ABSENT
      ? { ok: false, kind: lack ?? "absent", reason: resolved.reason, remedy }
      : { ok: true, signal: resolved.signal };
    const isFollowed = known.kind === "alias" && this.#known.has(aliasFor ?? "");
    const group = this.#groupOf(isFollowed ? aliasFor! : key);
    return {
      name,
      row: known.row,
      state,
      group,
      aliasFor,
      get candidates() {
        return candidates?.();
      },
    };
  }

  /** Offers of each reader on this node; probes all of them. */
  get offers(): ReadonlyMap<string, Offer> {
    return new Map(this.#readers.map((reader) => [reader.name, this.#offer(reader)]));
  }

  #add(known: Known): void {
    // Later ones win: a running application's signal over the row that only states that it can exist.
    this.#known.set(known.row.name, known);
  }

  #key(name: string): string | undefined {
    if (this.#known.has(name)) return name;
    const bare = bareName(name);
    return this.#known.has(bare) ? bare : undefined;
  }

  #groupOf(name: string): string {
    const known = this.#known.get(name)!;
    return known.kind === "reader" ? known.reader.name : known.kind;
  }

  #find(name: string): Found {
    const found = this.#found.get(name);
    if (found !== undefined) return found;
    const known = this.#known.get(name)!;
    if (this.#open.has(name)) {
      return absent(known.row, { kind: "absent", reason: "refers to itself" });
    }
    this.#open.add(name);
    const result = this.#look(known);
    this.#open.delete(name);
    this.#found.set(name, result);
    return result;
  }

  #look(known: Known): Found {
    switch (known.kind) {
      case "reader":
        return this.#fromReader(known.reader, known.row);
      case "application":
        return known.provider === undefined
          ? absent(known.row, {
            kind: "absent",
            reason: "available only in a run with an application",
          })
          : {
            resolved: {
              kind: "offered",
              provider: known.provider,
              signal: known.signal!,
              phase: "settle",
            },
          };
      case "derived":
        return this.#fromInputs(known.derived);
      case "alias":
        return this.#choose(known.alias);
    }
  }

  #offer(reader: Reader): Offer {
    return this.#offers.getOrInsertComputed(
      reader,
      () =>
        this.#without.has(reader.name)
          ? { ok: false, kind: "absent", reason: `left out by --without ${reader.name}` }
          : this.#marked(reader.probe(this.#scoped(reader))),
    );
  }

  /** A simulator's value is never called a measurement, and a value read by another process is marked so. */
  #marked(offer: Offer): Offer {
    if (!offer.ok) return offer;
    const host = this.#host;
    const signals = offer.signals.map((signal) => {
      const by = signal.source.startsWith("/") ? host.servedBy?.(signal.source) : undefined;
      const source = by === undefined ? signal.source : `${signal.source} ${by}`;
      const quality = host.simulated ? "simulated" as const : signal.quality;
      return { ...signal, source, quality };
    });
    return { ...offer, signals };
  }

  #scoped(reader: Reader): Host {
    return new ScopedHost(this.#host, reader.name, reader.needs);
  }

  #fromReader(reader: Reader, row: SignalRow): Found {
    const offer = this.#offer(reader);
    if (!offer.ok) return absent(row, offer.missing?.get(row.name) ?? offer);
    const signal = offer.signals.find((s) => s.row.name === row.name);
    if (signal === undefined) {
      return absent(row, offer.missing?.get(row.name) ?? { kind: "absent", reason: "not here" });
    }
    return {
      resolved: { kind: "offered", provider: this.#provider(reader), signal, phase: "read" },
    };
  }

  #provider(reader: Reader): SignalProvider {
    return this.#providers.getOrInsertComputed(reader, () => {
      const offer = this.#offer(reader);
      const host = this.#scoped(reader);
      return {
        name: reader.name,
        signals: offer.ok ? offer.signals : [],
        open: (wanted) => reader.open(host, wanted),
      };
    });
  }

  #fromInputs(derived: DerivedSignal): Found {
    for (const input of derived.inputs) {
      const found = this.#has(input);
      if (found !== undefined) {
        return absent(derived.row, { ...found, reason: `needs ${input}: ${found.reason}` });
      }
    }
    const parts = (derived.parts ?? []).filter((part) => this.#has(part) === undefined);
    if (derived.parts !== undefined && parts.length === 0) {
      return absent(derived.row, { kind: "absent", reason: "none of its parts is measured" });
    }
    const inputs = [...derived.inputs, ...parts];
    const signals = inputs.map((input) => this.#find(input).resolved);
    const notes = signals.flatMap((s) => s.kind !== ABSENT && s.signal.note ? [s.signal.note] : []);
    const signal: OfferedSignal = {
      row: derived.row,
      source: inputs.map((input) => this.#find(input).aliasFor ?? input).join(", "),
      quality: this.#host.simulated ? "simulated" : "derived",
      note: notes[0],
    };
    return { resolved: { kind: "derived", signal, derived: { ...derived, inputs } } };
  }

  /** Why an input is absent; `undefined`: it is present. */
  #has(name: string): Absence | undefined {
    if (!this.#known.has(name)) return { kind: "absent", reason: NO_SIGNAL };
    const { resolved, lack, remedy } = this.#find(name);
    if (resolved.kind !== ABSENT) return undefined;
    return { kind: lack ?? "absent", reason: resolved.reason, remedy };
  }

  #choose(alias: Alias): Found {
    const tried: Candidate[] = [];
    const lacks: Absence[] = [];
    const names = this.#candidates(alias);
    for (const [i, name] of names.entries()) {
      const lack = this.#has(name);
      if (lack !== undefined) {
        tried.push({ name, chosen: false, why: lack.reason });
        lacks.push(lack);
        continue;
      }
      const found = this.#find(name);
      tried.push({ name, chosen: true, why: i === 0 ? "comes first" : "first that is here" });
      // What comes after it is asked when somebody wants to know: a BMC may take seconds to answer.
      const others = () =>
        names.slice(i + 1).map((other): Candidate => {
          const why = this.#has(other)?.reason ?? `${name} comes first`;
          return { name: other, chosen: false, why };
        });
      return {
        resolved: found.resolved,
        aliasFor: found.aliasFor ?? name,
        candidates: () => [...tried, ...others()],
      };
    }
    // What can be fixed comes first: a permission, then a driver or a container.
    const worst = lacks.find((lack) => lack.kind === "forbidden") ??
      lacks.find((lack) => lack.kind === "unusable") ??
      lacks.find((lack) => lack.remedy !== undefined) ?? lacks[0];
    const reasons = new Set(
      [worst?.reason ?? NO_SIGNAL, ...tried.map((candidate) => candidate.why)]
        .flatMap((why) => why.endsWith(NO_SIGNAL) ? [] : [why.replace(NEEDS, "")]),
    );
    const reason = reasons.size === 0 ? "no reader provides it" : [...reasons].join("; ");
    return { ...absent(alias.row, { ...worst, reason }), candidates: () => tried };
  }

  #candidates(alias: Alias): readonly string[] {
    const followed = alias.follows === undefined
      ? undefined
      : this.#find(alias.follows.alias).aliasFor;
    const own = followed === undefined ? undefined : alias.follows!.sources[followed];
    return own === undefined ? alias.candidates : [own, ...alias.candidates];
  }
}

function absent(row: SignalRow, lack: Absence): Found {
  return {
    resolved: {
      kind: ABSENT,
      domain: row.domain,
      behavior: row.behavior,
      reason: lack.reason,
    },
    remedy: lack.remedy ?? (lack.kind === "forbidden" ? ASK_DOCTOR : undefined),
    lack: lack.kind,
  };
}
