/** Description of a configuration, and the steps that all configurations share. */

import type { ChannelSpec, ConfigFacts } from "./channel_spec.ts";
import type { ChosenOptions } from "./chosen_options.ts";
import { type Category, clauses, flag, type Option, quoteWord } from "./option.ts";
import { SignalRequest, type SignalStyle } from "./signals.ts";

/** A configuration by name. */
export interface Config {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly categories: readonly Category[];
  readonly services: readonly string[];
  /** Beside `CALI_CHANNEL_FLUSH_ON_EXIT`, which is false for all. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Options that hold unless given, in this order. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  /** Form in which signals appear in its queries. */
  readonly signals: SignalStyle;
  /** Error in the options, in Caliper's words. */
  check?(options: ChosenOptions): string | undefined;
  /** Adds what the tables do not have. */
  finish?(draft: ChannelDraft): void;
}

/** A channel in the making. */
export class ChannelDraft {
  readonly options: ChosenOptions;
  readonly facts: ConfigFacts;
  readonly variables: Record<string, string>;
  readonly services: string[];
  readonly remarks: string[] = [];
  readonly #config: Config;
  readonly #signals: SignalRequest;
  /** Output that no variable describes. */
  more: Partial<ChannelSpec> = {};

  /** Begins a further channel that belongs to this one, with options as in parentheses. */
  readonly nest: (config: Config, options: string) => ChannelDraft;

  constructor(
    config: Config,
    { options, facts, nest }: Pick<ChannelDraft, "options" | "facts" | "nest">,
  ) {
    this.#config = config;
    this.nest = nest;
    this.options = options;
    this.facts = facts;
    this.variables = { CALI_CHANNEL_FLUSH_ON_EXIT: "false", ...config.variables };
    this.services = [...config.services];
    this.#signals = new SignalRequest(config.signals, options, facts);
  }

  /** A query with what options and signals add to it. */
  query(level: "local" | "cross", ...base: string[]): string {
    const parts = [this.options.query(level, clauses(...base)), this.#signals.query(level)];
    return parts.map((part) => part.trim()).filter((part) => part !== "").join(" ");
  }

  /** Reports over the records of one process, or over all ranks. */
  report(
    { output, append, mpi, local, cross }: {
      output: string;
      /** The value of the variable; left out if there is none. */
      append?: string;
      mpi: boolean;
      local: string | undefined;
      cross: string;
    },
  ): void {
    const prefix = mpi ? "CALI_MPIREPORT_" : "CALI_REPORT_";
    this.services.push(...(mpi ? ["mpi", "mpireport"] : ["report"]));
    this.variables[`${prefix}FILENAME`] = output;
    if (append !== undefined) this.variables[`${prefix}APPEND`] = append;
    if (mpi) {
      this.variables.CALI_MPIREPORT_WRITE_ON_FINALIZE = "false";
      if (local !== undefined) this.variables.CALI_MPIREPORT_LOCAL_CONFIG = local;
    }
    this.variables[`${prefix}CONFIG`] = cross;
  }

  /** Decides if ranks are aggregated, by the option or by the way the program runs. */
  wantsMpi(option: string): boolean {
    const wanted = this.options.isTrue(option, this.facts.mpi);
    if (wanted && !this.facts.mpi) {
      this.remarks.push(
        `${this.#config.name}: ${option} has no effect: the program does not run under MPI`,
      );
    }
    return wanted && this.facts.mpi;
  }

  finish(): { channel: ChannelSpec; remarks: string[] } {
    this.#config.finish?.(this);
    const services = [...this.services, ...this.#signals.services()];
    return {
      channel: {
        name: this.#config.name,
        variables: {
          ...this.variables,
          CALI_SERVICES_ENABLE: this.options.services(services).join(","),
          ...this.options.variables(),
          ...this.#signals.variables(),
        },
        options: this.options.values(),
        metadata: this.options.metadata(this.facts.readFile),
        managed: true,
        ...this.more,
      },
      remarks: [...this.options.remarks, ...this.#signals.remarks, ...this.remarks],
    };
  }
}

/** The option of reports for {@linkcode ChannelDraft.wantsMpi}. */
export const ACROSS_RANKS: Option = flag(
  "aggregate_across_ranks",
  "One report over all ranks of MPI; by default if there are any",
);

/** FORMAT tree with the options of that formatter. */
export function treeFormat(options: ChosenOptions, ...args: string[]): string {
  const all = [...args];
  if (options.isSet("max_column_width")) {
    all.push(`column-width=${quoteWord(options.get("max_column_width"))}`);
  }
  if (options.isEnabled("print.metadata")) all.push("print-globals");
  return `format tree(${all.join(",")})`;
}
