/**
 * Counts that tell how complete a profile is.
 * @module
 */

/** Counts that tell how complete a profile is. */
export interface ProfileFacts {
  samples: number;
  /** Samples that the kernel had no room for. */
  lost: number;
  /** The kernel paused the sampling so often. */
  throttled: number;
  frames: number;
  /** Frames that were found by a guess. */
  guessedFrames: number;
  /** Samples by the end of their walk. */
  readonly ends: number[];
  /** Samples whose stack goes on above its copy. */
  deep: number;
  /** Samples whose copy of the stack ends at a page that the program never used. */
  torn: number;
  /** Names of programs that the kernel does not sample: set-user-ID, or without read permission. */
  readonly unseen: string[];
  /** CPU time by the kernel's count, and the parts of it that no sample shows; ns. */
  cpuNs: number;
  shortNs: number;
  hiddenNs: number;
  /** CPU time whose samples were lost, of threads without any. */
  lostNs: number;
  /** CPU time of brief threads with samples: of fewer than `BRIEF_PERIODS` periods. */
  briefNs: number;
}

/** Counts before the first sample. */
export function noFacts(): ProfileFacts {
  return {
    samples: 0,
    lost: 0,
    throttled: 0,
    frames: 0,
    guessedFrames: 0,
    ends: [0, 0, 0, 0, 0, 0],
    deep: 0,
    torn: 0,
    unseen: [],
    cpuNs: 0,
    shortNs: 0,
    hiddenNs: 0,
    lostNs: 0,
    briefNs: 0,
  };
}
