/**
 * Clients of the monitor's socket, several at a time, none of them waited for: one that says nothing
 * does not delay a record.
 * @module
 */
import { libc } from "../../os/libc.ts";
import type { Connection, Listener } from "../../os/socket.ts";
import { MAX_MARK_BYTES } from "./socket.ts";

/** At one time; of more, the one that has been silent longest goes. */
const CLIENTS_MAX = 16;
/** Maximum number of clients accepted in one turn: records come in between. */
const ACCEPTS_MAX = 64;
/** A client sends its line at once. */
const PATIENCE_MS = 1000;

interface Client {
  readonly connection: Connection;
  readonly sinceMs: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  length: number;
}

/** Serves a listener. */
export class MarkServer implements Disposable {
  readonly #listener: Listener;
  readonly #mark: (text: string) => string | undefined;
  readonly #clients: Client[] = [];

  /** @param mark Writes a mark; returns what was wrong with it. */
  constructor(listener: Listener, mark: (text: string) => string | undefined) {
    this.#listener = listener;
    this.#mark = mark;
  }

  /** Sleeps until there is something to serve, here or of others, or the time is over. */
  wait(milliseconds: number, others: readonly number[] = []): Promise<void> {
    const oldest = this.#clients[0];
    const left = oldest === undefined ? Infinity : oldest.sinceMs + PATIENCE_MS - performance.now();
    const clients = this.#clients.map((client) => client.connection.descriptor);
    return this.#listener.wait(Math.min(milliseconds, left), [...clients, ...others]);
  }

  /** Serves all clients with a request. */
  serve(): void {
    for (let i = 0; i < ACCEPTS_MAX; i++) {
      const connection = this.#listener.accept();
      if (connection === undefined) break;
      this.#admit(connection);
    }
    const now = performance.now();
    for (const client of [...this.#clients]) {
      const answer = this.#receive(client, now);
      if (answer !== undefined) this.#end(client, answer);
    }
  }

  [Symbol.dispose](): void {
    for (const { connection } of this.#clients) connection[Symbol.dispose]();
    this.#clients.length = 0;
  }

  #admit(connection: Connection): void {
    const bytes = new Uint8Array(MAX_MARK_BYTES + 1);
    const client = { connection, sinceMs: performance.now(), bytes, length: 0 };
    const peer = connection.peer;
    this.#clients.push(client);
    if (peer === undefined || (peer.uid !== 0 && peer.uid !== libc().geteuid())) {
      return this.#end(client, "error only root and the monitor's own user may mark");
    }
    if (this.#clients.length > CLIENTS_MAX) this.#end(this.#clients[0], "error too many clients");
  }

  /** @returns The answer, once there is one. */
  #receive(client: Client, now: number): string | undefined {
    const { connection, bytes } = client;
    const n = connection.readNow(bytes.subarray(client.length));
    if (n > 0) client.length += n;
    const end = bytes.subarray(0, client.length).indexOf(10);
    if (end >= 0) {
      const failed = this.#mark(new TextDecoder().decode(bytes.subarray(0, end)));
      return failed === undefined ? "ok" : `error ${failed}`;
    }
    const isOver = n < 0 || client.length === bytes.length || now - client.sinceMs >= PATIENCE_MS;
    return isOver ? "error no line came, or one that is too long" : undefined;
  }

  #end(client: Client, answer: string): void {
    client.connection.writeLine(answer);
    client.connection[Symbol.dispose]();
    this.#clients.splice(this.#clients.indexOf(client), 1);
  }
}
