/**
 * The management library of Xeon Phi coprocessors, loaded when it exists.
 *
 * Truth: miclib.h of the MPSS software stack. Every function answers 0 for success; devices and what
 * is read of them are opaque pointers.
 * @module
 */
import { confined, findLibrary } from "./library.ts";

const FREE = { parameters: ["u64"], result: "i32" } as const;
const GET = { parameters: ["u64", "buffer"], result: "i32" } as const;

const SYMBOLS = {
  mic_get_devices: { parameters: ["buffer"], result: "i32" }, // struct mic_devices_list **
  mic_free_devices: FREE,
  mic_get_ndevices: GET, // list, int *
  mic_get_device_at_index: { parameters: ["u64", "i32", "buffer"], result: "i32" }, // list, i, int *
  mic_open_device: { parameters: ["buffer", "u32"], result: "i32" }, // struct mic_device **, card
  mic_close_device: FREE,
  mic_get_device_type: GET, // device, uint32_t *
  mic_alloc_core_util: { parameters: ["buffer"], result: "i32" }, // struct mic_core_util **
  mic_update_core_util: { parameters: ["u64", "u64"], result: "i32" }, // device, util
  mic_free_core_util: FREE,
  mic_get_num_cores: GET, // util, uint16_t *
  mic_get_threads_core: GET, // util, uint16_t *
  mic_get_user_sum: GET, // util, uint64_t *
  mic_get_nice_sum: GET,
  mic_get_sys_sum: GET,
  mic_get_idle_sum: GET,
  mic_get_jiffy_counter: GET,
} as const satisfies Deno.ForeignLibraryInterface;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Knights Corner, by mic_get_device_type. */
const KNC_ID = 1;

const QUERIES = [
  "mic_get_num_cores",
  "mic_get_threads_core",
  "mic_get_user_sum",
  "mic_get_nice_sum",
  "mic_get_sys_sum",
  "mic_get_idle_sum",
  "mic_get_jiffy_counter",
] as const;

const word = new BigUint64Array(1);
const bytes = new Uint8Array(word.buffer);
const halves = new Uint32Array(word.buffer);

/** Calls something that fills `word`; its low half, or `undefined` if it fails. */
function asked(call: () => number): number | undefined {
  word[0] = 0n;
  return call() === 0 ? halves[0] : undefined;
}

/** A card that is open. */
export interface MicCard {
  /** Number of the card. */
  readonly card: number;
  readonly device: bigint;
  readonly util: bigint;
}

/** The open library, with all Knights Corner cards. */
export class MicLibrary implements Disposable {
  readonly cards: readonly MicCard[];
  readonly #symbols: Symbols;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
    this.cards = this.#numbers().flatMap((card) => this.#open(card) ?? []);
  }

  /**
   * Reads a card's core utilization and passes each figure on: cores, threads a core, user, nice,
   * system and idle time, jiffies; times in 1/100 s over all cores. Allocates nothing.
   *
   * @returns Did the card answer?
   */
  read(card: MicCard, take: (key: number, low: number, high: number) => void): boolean {
    if (this.#symbols.mic_update_core_util(card.device, card.util) !== 0) return false;
    for (let key = 0; key < QUERIES.length; key++) {
      word[0] = 0n; // two of them fill 16 bits
      if (this.#symbols[QUERIES[key]](card.util, bytes) === 0) take(key, halves[0], halves[1]);
    }
    return true;
  }

  [Symbol.dispose](): void {
    for (const { device, util } of this.cards) {
      this.#symbols.mic_free_core_util(util);
      this.#symbols.mic_close_device(device);
    }
  }

  #numbers(): number[] {
    const s = this.#symbols;
    if (asked(() => s.mic_get_devices(bytes)) === undefined) return [];
    const list = word[0];
    const count = asked(() => s.mic_get_ndevices(list, bytes)) ?? 0;
    const numbers = Array.from(
      { length: count },
      (_, i) => asked(() => s.mic_get_device_at_index(list, i, bytes)) ?? [],
    ).flat();
    s.mic_free_devices(list);
    return numbers;
  }

  #open(card: number): MicCard | undefined {
    const s = this.#symbols;
    if (asked(() => s.mic_open_device(bytes, card)) === undefined) return undefined;
    const device = word[0];
    const type = asked(() => s.mic_get_device_type(device, bytes));
    if (type === KNC_ID && asked(() => s.mic_alloc_core_util(bytes)) !== undefined) {
      return { card, device, util: word[0] };
    }
    s.mic_close_device(device);
    return undefined;
  }
}

/**
 * Opens the library; `undefined` if it is not there, or has no card.
 *
 * @param given Its whole path. @default the usual places
 */
export function openMic(given?: string): MicLibrary | undefined {
  const found = findLibrary("libmicmgmt.so.0", given, Deno.env.get("LD_LIBRARY_PATH"));
  if (!found.ok) return undefined;
  try {
    const library = confined(() => new MicLibrary(Deno.dlopen(found.path, SYMBOLS).symbols));
    return library.cards.length > 0 ? library : undefined;
  } catch {
    // Another version, or a stack that is half installed: as good as none.
    return undefined;
  }
}
