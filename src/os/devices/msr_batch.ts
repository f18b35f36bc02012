/**
 * Many registers of many CPUs by one call: msr-safe's /dev/cpu/msr_batch.
 *
 * Truth: msr_safe.h and msr_version.h of msr-safe. ioctl X86_IOC_MSR_BATCH takes
 *
 *   struct msr_batch_array  { u32 numops; u32 version; struct msr_batch_op *ops; }       16 bytes
 *   struct msr_batch_op     { u16 cpu; u16 isrdmsr; s32 err; u32 msr; u64 msrdata, wmask; }  32 bytes
 *
 * and fails as a whole when one register is not allowed or one CPU is offline; then nothing was read,
 * and each register is read by itself for that time, so that only the one at fault is NaN.
 * @module
 */
import type { Registers } from "../../core/machine/host.ts";
import { openCounter } from "../confinement/caller_rights.ts";
import { closeFile, O, openFile, readText } from "../files.ts";
import { bindIoctl, type DeviceCall } from "./ioctl.ts";
import { libc } from "../libc.ts";

/** The device. */
export const MSR_BATCH = "/dev/cpu/msr_batch";
const VERSION_FILE = "/dev/cpu/msr_safe_version";

/** _IOWR('c', 0xA2, struct msr_batch_array). */
const X86_IOC_MSR_BATCH = 0xc01063a2n;
const HEADER_BYTES = 16;
const OP_BYTES = 32;
const OP_WORDS = OP_BYTES / 4;
/** Words of an operation: its error, and the halves of what was read. */
const ERR = 1, LOW = 4, HIGH = 5;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;
/** Maximum number of failed calls in a row before single reads are kept for good. */
const MAX_FAILURES = 3;

/** One register of one CPU, and the device that reads it alone. */
export interface BatchOperation {
  readonly cpu: number;
  readonly register: number;
  readonly device: Registers;
}

/** Registers read together. */
export interface RegisterBatch {
  /** Reads all of them. */
  run(): void;
  /** Answers what `run` read, in the order of the operations. */
  readonly cells: readonly Registers[];
  [Symbol.dispose](): void;
}

/** `2.0.0` in the module's format: a byte each. */
export function versionNumber(text: string): number {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (match === null) return 0;
  return (Number(match[1]) << 16) | (Number(match[2]) << 8) | Number(match[3]);
}

/** The operations as the module reads them. */
export function encodeOperations(operations: readonly BatchOperation[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(operations.length * OP_BYTES));
  operations.forEach(({ cpu, register }, i) => {
    view.setUint16(i * OP_BYTES, cpu, true);
    view.setUint16(i * OP_BYTES + 2, 1, true);
    view.setUint32(i * OP_BYTES + 8, register, true);
  });
  return new Uint8Array(view.buffer);
}

/** One set of registers, read together. */
export class MsrBatch implements RegisterBatch {
  readonly cells: readonly Registers[];
  readonly #fd: number;
  readonly #call: DeviceCall;
  readonly #header: Uint8Array<ArrayBuffer>;
  readonly #address: bigint;
  readonly #size: bigint;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #state = { fresh: false };
  #failures = 0;

  constructor(
    fd: number,
    operations: readonly BatchOperation[],
    { version, call }: { version: number; call: DeviceCall },
  ) {
    this.#fd = fd;
    this.#call = call;
    this.#bytes = encodeOperations(operations);
    this.#size = BigInt(this.#bytes.length);
    this.#address = libc().mmap(0n, this.#size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
    libc().poke(this.#address, this.#bytes, this.#size);
    const header = new DataView(new ArrayBuffer(HEADER_BYTES));
    header.setUint32(0, operations.length, true);
    header.setUint32(4, version, true);
    header.setBigUint64(8, this.#address, true);
    this.#header = new Uint8Array(header.buffer);
    const words = new Int32Array(this.#bytes.buffer);
    this.cells = operations.map(({ device }, i) => new Cell(device, words, i, this.#state));
  }

  run(): void {
    this.#state.fresh = false;
    if (this.#failures >= MAX_FAILURES) return;
    if (this.#call(this.#fd, X86_IOC_MSR_BATCH, this.#header) < 0) {
      this.#failures++;
      return;
    }
    this.#failures = 0;
    libc().peek(this.#bytes, this.#address, this.#size);
    this.#state.fresh = true;
  }

  [Symbol.dispose](): void {
    libc().munmap(this.#address, this.#size);
    closeFile(this.#fd);
  }
}

/** A register in the batch; read alone while the batch has nothing. */
class Cell implements Registers {
  low = 0;
  high = 0;
  readonly #device: Registers;
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #state: { readonly fresh: boolean };

  constructor(device: Registers, words: Int32Array, index: number, state: { fresh: boolean }) {
    this.#device = device;
    this.#words = words;
    this.#at = index * OP_WORDS;
    this.#state = state;
  }

  read(register: number): number {
    if (!this.#state.fresh) {
      const errno = this.#device.read(register);
      this.low = this.#device.low | 0;
      this.high = this.#device.high | 0;
      return errno;
    }
    this.low = this.#words[this.#at + LOW];
    this.high = this.#words[this.#at + HIGH];
    return -this.#words[this.#at + ERR];
  }

  /** The device is its owner's. */
  [Symbol.dispose](): void {}
}

/** Opens the batch device; `undefined`: it is not there, or not for us. */
export function openMsrBatch(operations: readonly BatchOperation[]): RegisterBatch | undefined {
  if (operations.length === 0) return undefined;
  const fd = openCounter(MSR_BATCH, () => openFile(MSR_BATCH, O.RDONLY));
  if (fd < 0) return undefined;
  const call = bindIoctl();
  if (call === undefined) {
    closeFile(fd);
    return undefined;
  }
  const version = versionNumber(readText(VERSION_FILE) ?? "");
  return new MsrBatch(fd, operations, { version, call });
}
