/**
 * Xeon Phi coprocessors (Knights Corner): time of their cores, from the vendor's library.
 *
 * Truth: miclib.h of the MPSS software stack. Its driver ended with Linux 4.18; built to the
 * library's interface, it never met a card.
 * @module
 */
import { type MicLibrary, openMic } from "../../../os/devices/micmgmt.ts";
import type { RawStatsType } from "./raw_type.ts";

/** Folder of the cards, made by their driver. */
const CARDS = "/sys/class/mic";

/** The type, by a way to open the library. */
export function micType(open: () => MicLibrary | undefined): RawStatsType {
  return {
    name: "mic",
    keys: "num_cores,C threads_core,C user_sum,E,U=cs nice_sum,E,U=cs sys_sum,E,U=cs " +
      "idle_sum,E,U=cs jiffy_counter,E,U=cs",
    needs: { files: [`${CARDS}/`], libraries: ["libmicmgmt.so.0"], capabilities: [] },
    open({ host }) {
      const seen = host.root === "" && host.list(CARDS).length > 0;
      const library = seen ? open() : undefined;
      if (library === undefined) return undefined;
      return {
        collect(row) {
          const put = (key: number, low: number, high: number) => row.put(key, low, high);
          for (const card of library.cards) {
            if (library.read(card, put)) row.emit(String(card.card));
          }
        },
        [Symbol.dispose]: () => library[Symbol.dispose](),
      };
    },
  };
}

/** Raw times of the cores of Xeon Phi cards. Device: number of the card. */
export const mic: RawStatsType = micType(openMic);
