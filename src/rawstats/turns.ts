/**
 * One output by several processes: each reads all of the input, and writes some of the pieces, in turn.
 *
 * All processes count the same turns; a turn's number says whose it is. What is written beyond a
 * process's turns is lost, so all of them run the same code.
 * @module
 */
import { ByteText, PIECE_BYTES } from "./byte_text.ts";

/** Bytes that wait for their turn, at most. */
const MOST_WAITING = 16 << 20;

/** Where one process's bytes go, and its turns end. */
export interface TurnSink {
  write(bytes: Uint8Array): void;
  /** A turn is over. */
  pass(): void;
  /** Another process's turn goes on: writes what has waited, where its turn has come. */
  look(): void;
  /** Nothing follows. */
  end(): void;
}

/** Whose turn it is. */
export class Turns {
  /** What is written here comes out where it is this process's turn. */
  out: ByteText;
  readonly #own: ByteText;
  readonly #nowhere: ByteText;
  readonly #sink: TurnSink;
  /** Number of the process whose turn it is. */
  #now = 0;
  readonly #most: number;
  #spent = 0;

  /**
   * @param index Number of this process.
   * @param count Number of processes.
   * @param most Values of a turn.
   */
  constructor(readonly index: number, readonly count: number, sink: TurnSink, most = Infinity) {
    this.#sink = sink;
    this.#most = most;
    this.#own = new ByteText((bytes) => sink.write(bytes));
    this.#nowhere = count === 1 ? this.#own : new ByteText(() => {});
    this.out = index === 0 ? this.#own : this.#nowhere;
  }

  /** One process, which writes all. */
  static alone(write: (bytes: Uint8Array) => void): Turns {
    return new Turns(0, 1, { write, pass() {}, look() {}, end() {} });
  }

  /** Is it this process's turn? */
  get isOwn(): boolean {
    return this.#now === this.index;
  }

  /** It is the turn of a process now; one whose turn it is goes on. */
  to(owner: number): void {
    while (this.#now !== owner) this.next();
  }

  /** So many values follow; a turn that had its share is over. */
  spend(values: number): void {
    if (this.#spent >= this.#most) {
      this.#spent = 0;
      this.next();
    }
    this.#spent += values;
  }

  /** The next process has its turn. */
  next(): void {
    if (this.count === 1) return;
    if (this.isOwn) {
      this.#own.flush();
      this.#sink.pass();
    } else this.#sink.look();
    this.#now = (this.#now + 1) % this.count;
    this.out = this.isOwn ? this.#own : this.#nowhere;
  }

  /** Nothing follows: the first process has written the end. */
  end(): void {
    this.to(0);
    this.#own.flush();
    this.#sink.end();
  }
}

/** Says whose turn it is among processes. */
export interface Token {
  /** Is it this process's turn now? */
  has(): boolean;
  wait(): void;
  pass(): void;
}

/** Keeps bytes until their turn comes, as many as memory may hold. */
export class WaitingSink implements TurnSink {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #token: Token;
  readonly #most: number;
  #hasToken: boolean;
  /** What is to be done in the process's turns; `undefined`: one is over. */
  #waiting: (Uint8Array | undefined)[] = [];
  #bytes = 0;
  /** Buffers whose bytes are written. */
  readonly #free: Uint8Array<ArrayBuffer>[] = [];

  /** @param hasToken Is it the process that begins? */
  constructor(
    write: (bytes: Uint8Array) => void,
    token: Token,
    hasToken: boolean,
    most: number = MOST_WAITING,
  ) {
    this.#write = write;
    this.#token = token;
    this.#hasToken = hasToken;
    this.#most = most;
  }

  write(bytes: Uint8Array): void {
    this.#work(Math.max(0, this.#most - bytes.length));
    if (this.#waiting.length === 0 && (this.#hasToken ||= this.#token.has())) this.#write(bytes);
    else {
      this.#waiting.push(this.#copy(bytes));
      this.#bytes += bytes.length;
    }
  }

  #copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    // short ones would hold much more memory than they are counted for
    if (length > PIECE_BYTES || length < PIECE_BYTES / 2) return bytes.slice();
    const buffer = this.#free.pop() ?? new Uint8Array(PIECE_BYTES);
    buffer.set(bytes);
    return buffer.subarray(0, length);
  }

  pass(): void {
    this.#waiting.push(undefined);
    this.#work(Infinity);
  }

  look(): void {
    this.#work(Infinity);
  }

  end(): void {
    this.#work(-1);
  }

  /** Does what may be done now. @param most Bytes that may still wait; below 0: no turn either. */
  #work(most: number): void {
    let done = 0;
    while (done < this.#waiting.length) {
      if (!this.#hasToken) {
        if (this.#bytes > most || most < 0) this.#token.wait();
        else if (!this.#token.has()) break;
        this.#hasToken = true;
      }
      const bytes = this.#waiting[done++];
      if (bytes === undefined) {
        this.#hasToken = false;
        this.#token.pass();
      } else {
        this.#bytes -= bytes.length;
        this.#write(bytes);
        if (bytes.buffer.byteLength === PIECE_BYTES) {
          this.#free.push(new Uint8Array(bytes.buffer as ArrayBuffer));
        }
      }
    }
    if (done > 0) this.#waiting.splice(0, done);
  }
}
