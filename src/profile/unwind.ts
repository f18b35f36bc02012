/**
 * Stacks from registers and a copy of the stack: by call frame information where there is some, else by the first
 * instructions of a function, by frame pointers, by Python's trampolines, or by return addresses on the stack.
 *
 * Addresses are numbers: user space has 47 or 56 bits, a double holds 53.
 * @module
 */
import type { AddressSpace } from "./address_space.ts";
import { type Fde, FIRST_RULE } from "./frame_rows.ts";
import {
  EXPRESSION,
  INDEX_MASK,
  KIND_MASK,
  type Machine,
  REGISTER,
  SAME,
  UNDEFINED,
} from "./machine.ts";

/** Why a walk ended. */
export const END = {
  /** The outermost frame was reached. */
  root: 0,
  /** The copy of the stack ends before. */
  cut: 1,
  /** The code has no table, and no other way leads on. */
  noTable: 2,
  /** The stack does not fit the tables. */
  bad: 3,
  /** More frames than are kept. */
  depth: 4,
  /** The callers are on another stack. */
  switched: 5,
} as const;
/** A kind of end. */
export type End = (typeof END)[keyof typeof END];

/** Tables for the code of modules. */
export interface CodeTables {
  /** The entry of an address as the linker placed it. */
  fde(module: number, address: number): Fde | undefined;
  /**
   * Is there a call right before this address?
   *
   * @param callee An address of the function that is called, or −1.
   * @returns 0: no; 1: yes; 2: of the function that holds `callee`.
   */
  callBefore(module: number, address: number, callee: number): 0 | 1 | 2;
  /**
   * Is the frame pointer that of the function which holds this address? `undefined`: the start of the
   * function is not known.
   */
  hasFrame(module: number, address: number): boolean | undefined;
  /** The row of an address without an entry, from the first instructions of its function. */
  entryRow(module: number, address: number): Fde | undefined;
  /** Do two addresses belong to one function? */
  isSameFunction(module: number, address: number, other: number): boolean;
  /** Is there no caller of the function that holds this address? */
  isOutermost(module: number, address: number): boolean;
  /** Does the function that holds this address call others on another stack than its own? */
  leavesStack(module: number, address: number): boolean;
}

/** Functions that nothing calls: a stack that ends there is complete. */
export const OUTERMOST: ReadonlySet<string> = new Set([
  ...["_start", "start_thread", "clone", "__clone", "clone3", "__clone3", "thread_start"],
  ...["runtime.goexit", "runtime.goexit.abi0", "runtime.mstart", "runtime.rt0_go"],
  // Boost.Context: the first function of a coroutine returns into it.
  ...["runtime.rt0_go.abi0", "make_fcontext"],
]);
export const DEPTH_MOST = 1000;
/** Below it there is no code. */
const FIRST_CODE = 4096;
/** A frame pointer points this far up at most. */
const FRAME_MOST = 1 << 23;
/** Maximum number of words that are searched for a return address. */
const SEARCHED_WORDS = 256;
const HIGH = 4294967296;
/** Rows that are kept: one for each address. */
const CACHE = 1 << 14;
/** Kinds of cached results for an address. */
const HAS_ROW = 0, IS_MADE = 1, HAS_NO_TABLE = 2, IS_NOWHERE = 3;

/** Walks stacks; one object for all processes. */
export class Unwinder {
  /** Addresses of the last stack, innermost first; those of callers point into the call. */
  readonly addresses: Float64Array = new Float64Array(DEPTH_MOST);
  /** Addresses of the frames themselves (CFA), where they are known; NaN elsewhere. */
  readonly frames: Float64Array = new Float64Array(DEPTH_MOST);
  /** 1: the frame was found by a guess. */
  readonly isGuessed: Uint8Array = new Uint8Array(DEPTH_MOST);
  end: End = END.root;
  readonly #machine: Machine;
  readonly #tables: CodeTables;
  /** Length of a row, and the registers with rules in it. */
  readonly #row: number;
  readonly #kept: Uint8Array;
  readonly #restored: Float64Array;
  readonly #codeEnd: number;
  readonly #registers: Float64Array;
  readonly #expression: Expression;
  #words = new Uint32Array();
  #bytes = new DataView(new ArrayBuffer(0));
  #stackAt = 0;
  #stackBytes = 0;
  #stackBase = 0;
  readonly #cachedAt = new Float64Array(CACHE).fill(-1);
  readonly #cachedSpace = new Float64Array(CACHE).fill(-1);
  readonly #cachedKind = new Uint8Array(CACHE);
  /** 1: the function calls others on another stack. */
  readonly #cachedLeaves = new Uint8Array(CACHE);
  readonly #cachedRows: Int32Array;
  readonly #cachedFdes: (Fde | undefined)[] = new Array(CACHE).fill(undefined);

  constructor(machine: Machine, tables: CodeTables) {
    [this.#machine, this.#tables] = [machine, tables];
    this.#row = machine.firstRow.length;
    this.#kept = Uint8Array.from(machine.kept);
    this.#restored = new Float64Array(machine.kept.length);
    this.#codeEnd = machine.codeEnd;
    this.#registers = new Float64Array(machine.registers);
    this.#cachedRows = new Int32Array(CACHE * this.#row);
    this.#expression = new Expression(this.#registers, (address) => this.#load(address));
  }

  /**
   * Walks one stack.
   *
   * @param registers By their numbers in DWARF.
   * @param words The record's bytes, and `view` the same.
   * @param stackAt Where the copy of the stack begins there.
   * @param stackBytes How much of it is valid.
   * @returns The number of frames.
   */
  walk(
    space: AddressSpace,
    registers: Float64Array,
    { words, view }: {
      readonly words: Uint32Array<ArrayBuffer>;
      readonly view: DataView<ArrayBuffer>;
    },
    stackAt: number,
    stackBytes: number,
  ): number {
    [this.#words, this.#bytes, this.#stackAt, this.#stackBytes] = [
      words,
      view,
      stackAt,
      stackBytes,
    ];
    const r = this.#registers, rows = this.#cachedRows, size = this.#row;
    const { stackPointer: SP, instructionPointer: IP, link, registers: registersEnd } =
      this.#machine;
    r.set(registers);
    this.#stackBase = r[SP];
    let count = 0, pc = r[IP], back = 0, guess = 0;
    for (;;) {
      const at = pc - back;
      if (count === DEPTH_MOST) return this.#ended(END.depth, count);
      this.addresses[count] = at;
      this.frames[count] = r[SP];
      this.isGuessed[count] = guess;
      count++;
      const slot = this.#slotOf(space, at), kind = this.#cachedKind[slot];
      guess = 0;
      if (back === 1 && this.#cachedLeaves[slot] === 1) return this.#ended(END.switched, count);
      if (kind === IS_NOWHERE) return this.#ended(END.bad, count);
      if (kind !== HAS_ROW) {
        if (back === 1 && this.#isMadeFrame(space, pc)) {
          this.addresses[count - 1] = pc;
          return this.#ended(END.root, count);
        }
        const way = this.#withoutTable(space, at, slot, back);
        if (way === NO_WAY) return count;
        [pc, back, guess] = [this.#next, 1, way === GUESSED ? 1 : 0];
        continue;
      }
      const row = slot * size, base = rows[row + 1], fde = this.#cachedFdes[slot]!;
      // Nothing called it: its frame was made to return into it.
      if (fde.isSignal) this.addresses[count - 1] = pc;
      const cfa = base < registersEnd
        ? r[base] + rows[row + 2]
        : this.#expression.value(fde.expressions[base & INDEX_MASK], NaN);
      if (!(cfa > 0)) return this.#ended(Number.isNaN(cfa) ? END.cut : END.bad, count);
      const rule = rows[row + size - 1];
      if (rule === UNDEFINED) return this.#ended(END.root, count);
      // A function that calls has saved its return address; one that was interrupted may have no frame.
      if (link >= 0 && back === 1 && rule === (REGISTER | link)) {
        return this.#ended(this.#isEnd(space, at) ? END.root : END.bad, count);
      }
      const mayBeEmpty = link >= 0 && back === 0;
      const isBad = mayBeEmpty ? cfa < r[SP] : cfa <= r[SP];
      if (!fde.isSignal && isBad && count > 1) return this.#ended(END.bad, count);
      const next = this.#code(this.#rule(fde, rule, cfa, IP));
      this.#restoreRegisters(row, fde, cfa);
      // The entry of the dynamic linker on aarch64 leaves out the words that its caller pushed last.
      const isShort = link >= 0 && !fde.isSignal && rule >= 0 && rule < EXPRESSION;
      r[SP] = isShort ? cfa + rule + 8 : cfa;
      if (Number.isNaN(next)) return this.#ended(END.cut, count);
      if (next < FIRST_CODE) return this.#ended(END.root, count);
      pc = next;
      back = fde.isSignal ? 0 : 1;
    }
  }

  #ended(end: End, count: number): number {
    this.end = end;
    return count;
  }

  /** The registers that a call keeps, as they were in the caller. */
  #restoreRegisters(row: number, fde: Fde, cfa: number): void {
    const rows = this.#cachedRows, r = this.#registers, kept = this.#kept;
    const restored = this.#restored, first = row + FIRST_RULE, { length } = kept;
    let all = SAME;
    for (let i = 0; i < length; i++) all &= rows[first + i];
    if (all === SAME) return;
    for (let i = 0; i < length; i++) {
      const rule = rows[first + i];
      restored[i] = rule === SAME ? r[kept[i]] : this.#rule(fde, rule, cfa, kept[i]);
    }
    for (let i = 0; i < length; i++) r[kept[i]] = restored[i];
  }

  /** An address of code without its signature. */
  #code(address: number): number {
    const end = this.#codeEnd;
    return address >= end ? address % end : address;
  }

  #rule(fde: Fde, rule: number, cfa: number, register: number): number {
    if (rule === SAME) return this.#registers[register];
    if (rule === UNDEFINED) return NaN;
    if (rule < EXPRESSION) return this.#load(cfa + rule);
    const kind = rule & KIND_MASK, index = rule & INDEX_MASK;
    if (kind === REGISTER) return this.#registers[index] ?? NaN;
    const value = this.#expression.value(fde.expressions[index], cfa);
    return kind === EXPRESSION ? this.#load(value) : value;
  }

  /** A word of the stack; NaN outside of its copy. */
  #load(address: number): number {
    const from = address - this.#stackBase;
    if (!(from >= 0 && from + 8 <= this.#stackBytes)) return NaN;
    const at = from + this.#stackAt;
    if ((at & 3) !== 0) {
      return this.#bytes.getUint32(at, true) + this.#bytes.getUint32(at + 4, true) * HIGH;
    }
    return this.#words[at >>> 2] + this.#words[(at >>> 2) + 1] * HIGH;
  }

  /** Cache slot of an address; its content is then of this address. */
  #slotOf(space: AddressSpace, at: number): number {
    const key = space.id * HIGH + space.generation;
    const slot = ((at & (CACHE - 1)) ^ ((at / CACHE) & (CACHE - 1)) ^ (space.id * 40503)) &
      (CACHE - 1);
    if (this.#cachedAt[slot] === at && this.#cachedSpace[slot] === key) return slot;
    this.#cachedAt[slot] = at;
    this.#cachedSpace[slot] = key;
    this.#cachedFdes[slot] = undefined;
    this.#cachedLeaves[slot] = 0;
    const mapping = space.find(at);
    if (mapping === undefined) this.#cachedKind[slot] = IS_NOWHERE;
    else if (mapping.isMade) this.#cachedKind[slot] = IS_MADE;
    else {
      const address = at - mapping.bias, fde = this.#tables.fde(mapping.module, address);
      this.#cachedKind[slot] = fde === undefined ? HAS_NO_TABLE : HAS_ROW;
      const row = fde ?? this.#tables.entryRow(mapping.module, address);
      if (row !== undefined) this.#keepRow(slot, row, address - row.start);
      if (this.#tables.leavesStack(mapping.module, address)) this.#cachedLeaves[slot] = 1;
    }
    return slot;
  }

  #keepRow(slot: number, fde: Fde, from: number): void {
    const { rows } = fde, size = this.#row;
    let row = 0;
    for (let i = 0; i < rows.length && rows[i] <= from; i += size) row = i;
    for (let i = 0; i < size; i++) this.#cachedRows[slot * size + i] = rows[row + i];
    this.#cachedFdes[slot] = fde;
  }

  #next = 0;

  /** Finds the caller of code without tables, into `#next`; otherwise says why it ended. */
  #withoutTable(space: AddressSpace, at: number, slot: number, back: number): Way {
    const { stackPointer: SP, framePointer: FP, link, hasLowRecord } = this.#machine;
    const r = this.#registers, fp = r[FP], sp = r[SP], isMade = this.#cachedKind[slot] === IS_MADE;
    // Python's trampolines: sub $8,%rsp; call *%rcx. Or: stp x29, x30, [sp, -16]!; mov x29, sp; blr x3.
    if (isMade && space.hasTrampolines && back === 1) {
      const caller = this.#code(this.#load(sp + 8));
      if (caller > FIRST_CODE && this.#isCall(space, caller, at)) {
        if (link >= 0) r[FP] = this.#load(sp);
        r[SP] = sp + 16;
        this.#next = caller;
        return SURE;
      }
    }
    const here = space.find(at)!, address = at - here.bias;
    if (!isMade && this.#tables.isOutermost(here.module, address)) {
      this.end = END.root;
      return NO_WAY;
    }
    const entry = this.#cachedFdes[slot];
    const way = entry && this.#byEntry(space, at, slot, entry);
    if (way !== undefined) return way;
    const isTop = !isMade && back === 0;
    const hasFrame = isTop ? this.#tables.hasFrame(here.module, address) : undefined;
    // Without a frame of its own the return address lies on top, below the frame of the caller.
    const isBare = hasFrame === false;
    const linked = isTop && link >= 0 ? this.#linked(space, r[link], at) : NaN;
    if (isBare && linked > 0) {
      this.#next = linked;
      return SURE;
    }
    const caller = fp >= sp ? this.#code(this.#load(fp + 8)) : NaN;
    const isCode = !isBare && caller > FIRST_CODE && space.find(caller - 1) !== undefined;
    if (isCode && (isMade || this.#isCall(space, caller, at) || this.#isEnd(space, caller))) {
      r[FP] = this.#load(fp);
      // The caller's own record tells how far its frame reaches down.
      r[SP] = hasLowRecord && !isMade && r[FP] > fp ? r[FP] : fp + 16;
      this.#next = caller;
      return SURE;
    }
    if (hasFrame === undefined && linked > 0) {
      this.#next = linked;
      return GUESSED;
    }
    const found = isMade ? NaN : this.#search(space, sp, at);
    if (found > 0) {
      this.#next = this.#code(this.#load(found));
      r[SP] = found + 8;
      return this.#isSure || isBare && link < 0 && found === sp ? SURE : GUESSED;
    }
    const isCut = fp >= sp && fp - sp < FRAME_MOST && Number.isNaN(caller);
    this.end = caller === 0 || fp === 0 ? END.root : isCut ? END.cut : END.noTable;
    return NO_WAY;
  }

  /** The caller by the first instructions of a function; `undefined`: they do not lead to one. */
  #byEntry(space: AddressSpace, at: number, slot: number, entry: Fde): Way | undefined {
    const r = this.#registers, rows = this.#cachedRows, row = slot * this.#row;
    const SP = this.#machine.stackPointer, cfa = r[rows[row + 1]] + rows[row + 2];
    const caller = this.#code(this.#load(cfa + rows[row + this.#row - 1]));
    if (Number.isNaN(caller) && cfa > r[SP] && cfa - r[SP] < FRAME_MOST) {
      this.end = END.cut;
      return NO_WAY;
    }
    if (!(caller > FIRST_CODE && this.#isCall(space, caller, at))) return undefined;
    this.#restoreRegisters(row, entry, cfa);
    r[SP] = cfa;
    this.#next = caller;
    return SURE;
  }

  /** The return address that the call of this function left in a register; NaN: a later call has left another one. */
  #linked(space: AddressSpace, link: number, at: number): number {
    const caller = this.#code(link), here = space.find(at)!, mapping = space.find(caller - 1);
    if (mapping === undefined || !this.#isCall(space, caller, at)) return NaN;
    const isOwn = mapping.module === here.module &&
      this.#tables.isSameFunction(here.module, at - here.bias, caller - 1 - here.bias);
    return isOwn ? NaN : caller;
  }

  #isCall(space: AddressSpace, caller: number, at: number): boolean {
    const mapping = space.find(caller - 1);
    if (mapping === undefined) return false;
    if (mapping.isMade) return true;
    return this.#tables.callBefore(mapping.module, caller - mapping.bias, at - mapping.bias) > 0;
  }

  /** Does an address belong to a function that nothing calls? Go puts it there without a call. */
  #isEnd(space: AddressSpace, caller: number): boolean {
    const mapping = space.find(caller);
    return mapping !== undefined && !mapping.isMade &&
      this.#tables.isOutermost(mapping.module, caller - mapping.bias);
  }

  /** Does a frame return into the first instruction of a function without a call? makecontext(3) makes such frames. */
  #isMadeFrame(space: AddressSpace, pc: number): boolean {
    const mapping = space.find(pc);
    if (mapping === undefined || mapping.isMade) return false;
    const { module } = mapping, address = pc - mapping.bias;
    return this.#tables.fde(module, address)?.start === address &&
      this.#tables.callBefore(module, address, -1) === 0;
  }

  #isSure = false;

  /** The next word of the stack that points behind a call of this function, else behind any call. */
  #search(space: AddressSpace, sp: number, at: number): number {
    const here = space.find(at);
    let weak = NaN;
    for (let i = 0; i < SEARCHED_WORDS; i++) {
      const value = this.#code(this.#load(sp + i * 8));
      if (Number.isNaN(value)) break;
      const mapping = value > FIRST_CODE ? space.find(value - 1) : undefined;
      if (mapping === undefined || mapping.isMade) continue;
      const callee = here?.module === mapping.module ? at - mapping.bias : -1;
      const found = this.#tables.callBefore(mapping.module, value - mapping.bias, callee);
      this.#isSure = found === 2;
      if (found === 2) return sp + i * 8;
      if (found === 1 && Number.isNaN(weak)) weak = sp + i * 8;
    }
    return weak;
  }
}

/** Way in which the caller was found. */
type Way = typeof NO_WAY | typeof SURE | typeof GUESSED;
const NO_WAY = 0, SURE = 1, GUESSED = 2;

const STACK_MOST = 60, STEPS_MOST = 1000;

/** Expressions of DWARF as call frame information has them: PLT entries, signal frames, realigned stacks. */
class Expression {
  readonly #registers: Float64Array;
  readonly #load: (address: number) => number;
  readonly #stack = new Float64Array(STACK_MOST + 4);
  #code: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(registers: Float64Array, load: (address: number) => number) {
    [this.#registers, this.#load] = [registers, load];
  }

  /** @param cfa On the stack at the start; NaN: nothing is. @returns NaN if it has no value. */
  value(code: Uint8Array | undefined, cfa: number): number {
    if (code === undefined) return NaN;
    [this.#code, this.#at] = [code, 0];
    const s = this.#stack;
    let n = Number.isNaN(cfa) ? 0 : 1;
    s[0] = cfa;
    for (let steps = 0; this.#at >= 0 && this.#at < code.length; steps++) {
      if (n > STACK_MOST || steps > STEPS_MOST) return NaN;
      const op = code[this.#at++];
      if (op >= 0x30 && op <= 0x4f) s[n++] = op - 0x30;
      else if (op >= 0x70 && op <= 0x8f) {
        const offset = this.#signed();
        s[n++] = (this.#registers[op - 0x70] ?? NaN) + offset;
      } else if (op >= 0x1a && op <= 0x2e && op !== 0x1f && op !== 0x23 && op !== 0x28) {
        if (n < 2) return NaN;
        s[n - 2] = combine(op, s[n - 2], s[n - 1]);
        n--;
      } else {
        if (n < NEEDS[op]) return NaN;
        const pushed = this.#other(op, s, n);
        if (Number.isNaN(pushed)) return NaN;
        n += pushed;
      }
    }
    return n > 0 ? s[n - 1] : NaN;
  }

  /** @returns By how much the stack grows; NaN for an operation that is not known. */
  #other(op: number, s: Float64Array, n: number): number {
    switch (op) {
      case 0x06: // deref
        s[n - 1] = this.#load(s[n - 1]);
        return 0;
      case 0x08: // const1u
        s[n] = this.#u(1);
        return 1;
      case 0x09:
        s[n] = this.#u(1) << 24 >> 24;
        return 1;
      case 0x0a:
        s[n] = this.#u(2);
        return 1;
      case 0x0b:
        s[n] = this.#u(2) << 16 >> 16;
        return 1;
      case 0x0c:
        s[n] = this.#u(4);
        return 1;
      case 0x0d:
        s[n] = this.#u(4) | 0;
        return 1;
      case 0x10:
        s[n] = this.#unsigned();
        return 1;
      case 0x11:
        s[n] = this.#signed();
        return 1;
      case 0x12: // dup
        s[n] = s[n - 1];
        return 1;
      case 0x13: // drop
        return -1;
      case 0x14: // over
        s[n] = s[n - 2];
        return 1;
      case 0x16: // swap
        [s[n - 2], s[n - 1]] = [s[n - 1], s[n - 2]];
        return 0;
      case 0x23: // plus_uconst
        s[n - 1] += this.#unsigned();
        return 0;
      case 0x28: { // bra
        const by = this.#u(2) << 16 >> 16;
        if (s[n - 1] !== 0) this.#at += by;
        return -1;
      }
      case 0x2f: { // skip
        const by = this.#u(2) << 16 >> 16;
        this.#at += by;
        return 0;
      }
      case 0x96: // nop
        return 0;
    }
    return NaN;
  }

  #u(bytes: number): number {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += (this.#code[this.#at++] ?? 0) * 2 ** (8 * i);
    return value;
  }

  #unsigned(): number {
    let value = 0, weight = 1;
    for (;; weight *= 128) {
      const byte = this.#code[this.#at++] ?? 0;
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  }

  #signed(): number {
    let value = 0, weight = 1;
    for (;;) {
      const byte = this.#code[this.#at++] ?? 0;
      value += (byte & 127) * weight;
      weight *= 128;
      if (byte < 128) return (byte & 64) !== 0 ? value - weight : value;
    }
  }
}

/** Number of values that an operation takes. */
const NEEDS = new Uint8Array(256);
for (const op of [0x06, 0x12, 0x13, 0x23, 0x28]) NEEDS[op] = 1;
for (const op of [0x14, 0x16]) NEEDS[op] = 2;

/** Operations on two values. */
function combine(op: number, a: number, b: number): number {
  switch (op) {
    case 0x1a: // and, by masks below 2^31 alone
      return b >= 0 && b < 0x80000000 ? (a % HIGH) & b : NaN;
    case 0x1c:
      return a - b;
    case 0x1e:
      return a * b;
    case 0x22:
      return a + b;
    case 0x24:
      return a * 2 ** b;
    case 0x25:
      return Math.floor(a / 2 ** b);
    case 0x29:
      return a === b ? 1 : 0;
    case 0x2a:
      return a >= b ? 1 : 0;
    case 0x2b:
      return a > b ? 1 : 0;
    case 0x2c:
      return a <= b ? 1 : 0;
    case 0x2d:
      return a < b ? 1 : 0;
    case 0x2e:
      return a !== b ? 1 : 0;
  }
  return NaN;
}
