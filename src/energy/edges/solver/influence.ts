/**
 * What each stretch of a run contributes to the error of the energies: the sums that variances are
 * made from at the end.
 *
 * Interval k moves T by ψ_k = G z_k w_k r_k + (σ_{k−1} − σ_k)(e_{k−1} − e_k)/2, G = (D − M)A⁻¹: the
 * first term through the powers, the second since an error at a boundary moves energy between
 * neighbours. Blocks of intervals keep A and c of their own, so that noise which remembers is seen
 * whole (batch means; sandwich estimator of Huber and White). docs/how-sure.md.
 * @module
 */
import { grown, lengthened } from "../../../core/grow.ts";
import { triangle, widened } from "./triangle.ts";
import { NormalSums } from "./normal_sums.ts";
import type { PhaseLock } from "../phase_lock.ts";
import { BLOCK_ROWS } from "./row_block.ts";
import type { RowStore } from "./row_store.ts";
import type { Shares } from "./shares.ts";
import type { WhitenedRows } from "./whitened_rows.ts";

const FIRST_BLOCK = 12;
const MOST_BLOCKS = 80;
/** A block of many classes is large. */
const MANY_CLASSES = 64;
/** Rows that all count for the sums over single intervals; of those after them, one in so many. */
const ALL_ROWS = 8192;
const EACH = 4;

/** A stretch of intervals. */
export interface Block {
  readonly sums: NormalSums;
  /** Sum of the second terms, by class. */
  second: Float64Array;
  intervals: number;
}

/** Gathers what the variances are made from. */
export class Influence {
  readonly blocks: Block[] = [newBlock()];
  /** Σ u uᵀ, packed, with u = w r z; Σ u vᵀ by `stride`, v the second term; Σ v vᵀ, packed. */
  u = new Float64Array(triangle(16));
  uv = new Float64Array(256);
  vv = new Float64Array(triangle(16));
  stride = 16;
  /** Σ σ d² by class, and Σ d² σσᵀ, packed: σ(1 − σ)d² of any set of classes. */
  inside = new Float64Array(16);
  insideBoth = new Float64Array(triangle(16));
  /**
   * Σ E²(σ_rσ_s(Σσ² − σ_r − σ_s) + σ_r² where r = s), packed: what goes astray inside an interval
   * where each class draws there more or less than it usually does, by one part of it.
   */
  mixed = new Float64Array(triangle(16));
  /** Σ E²σ_u²(σ − 1_u)(σ − 1_u)ᵀ, packed: the same where unmarked time u alone does. */
  unmarked = new Float64Array(triangle(16));
  /** Σ (σ_{k−1} − σ_k)(σ_{k−1} − σ_k)ᵀ, packed: how often a boundary moves energy. */
  moved = new Float64Array(triangle(16));
  /** Sum of lengths, s, and Σ e_{k−1} e_k over `pairs`: below 0 through errors at boundaries. */
  lengthS = 0;
  products = 0;
  pairs = 0;
  #perBlock = FIRST_BLOCK;
  /** The interval before: its shares by class, and what was left of its energy. */
  #classes = new Int32Array(16);
  #sigma = new Float64Array(16);
  #length = 0;
  #leftJ = 0;
  /** It holds only classes whose powers were known. */
  #certain = false;
  /** σ_{k−1} − σ_k by class, and the classes that have one. */
  #v = new Float64Array(16);
  #isIn = new Uint8Array(16);
  #second = new Int32Array(16);
  #union = 0;
  #rows = 0;
  readonly #lock: PhaseLock;

  constructor(lock: PhaseLock) {
    this.#lock = lock;
  }

  /**
   * Takes a row.
   *
   * @param power W per CPU by class: the best known so far.
   */
  take(rows: RowStore, i: number, row: WhitenedRows, shares: Shares, power: Float64Array): void {
    if (rows.count > this.stride) this.#grow(rows.count);
    const block = this.#block(rows.count);
    if (rows.fresh[i] === 1) this.#length = 0;
    const { start, classes } = rows.block(i);
    const from = start[i % BLOCK_ROWS];
    const n = start[i % BLOCK_ROWS + 1] - from;
    this.#union = 0;
    // What a class of unknown power leaves is no noise: such rows are only in the blocks.
    const certain = shares.certain && (this.#certain || this.#length === 0);
    let half = 0;
    if (this.#length > 0) {
      for (let k = 0; k < this.#length; k++) this.#put(this.#classes[k], this.#sigma[k]);
      for (let k = 0; k < n; k++) this.#put(classes[from + k], -shares.sigma[k]);
      if (certain) {
        half = (this.#leftJ - shares.leftJ) / 2;
        this.products += this.#leftJ * shares.leftJ;
        this.pairs++;
        this.#lock.boundary(rows.beginS[i], half);
      }
    }
    // Later rows of a long run: each fourth one stands for four.
    const times = this.#rows < ALL_ROWS ? 1 : this.#rows % EACH === 0 ? EACH : 0;
    this.#rows++;
    if (row.counts) {
      block.sums.add(row);
      if (times > 0 && certain) this.#first(row, power, { times, half });
    }
    this.#boundary(block, times, half);
    this.lengthS += rows.lengthS[i];
    if (n > this.#sigma.length) {
      this.#sigma = grown(this.#sigma, n);
      this.#classes = new Int32Array(this.#sigma.length);
    }
    if (times > 0) this.#spread(rows, i, { sigma: shares.sigma, times });
    for (let k = 0; k < n; k++) {
      this.#classes[k] = classes[from + k];
      this.#sigma[k] = shares.sigma[k];
    }
    this.#length = n;
    this.#leftJ = shares.leftJ;
    this.#certain = shares.certain;
  }

  /** What no share can see inside row `i`. */
  #spread(
    rows: RowStore,
    i: number,
    { sigma, times }: { sigma: Float64Array; times: number },
  ): void {
    const { start, classes } = rows.block(i);
    const from = start[i % BLOCK_ROWS];
    const n = start[i % BLOCK_ROWS + 1] - from;
    const d2 = times * rows.lengthS[i] ** 2;
    const e2 = times * rows.energyJ[i] ** 2;
    let squares = 0;
    let share = 0;
    const own = rows.fitOf[0];
    for (let k = 0; k < n; k++) {
      squares += sigma[k] * sigma[k];
      if (classes[from + k] === own) share = sigma[k];
    }
    const uneven = e2 * share * share;
    for (let k = 0; k < n; k++) {
      const s = sigma[k];
      if (s === 0) continue;
      const c = classes[from + k];
      this.inside[c] += s * d2;
      this.mixed[triangle(c) + c] += e2 * s * s;
      for (let m = 0; m < n; m++) {
        const b = classes[from + m];
        if (b > c) continue;
        const both = s * sigma[m];
        this.insideBoth[triangle(c) + b] += both * d2;
        this.mixed[triangle(c) + b] += e2 * both * (squares - s - sigma[m]);
        if (uneven === 0) continue;
        const other = sigma[m] - (b === own ? 1 : 0);
        this.unmarked[triangle(c) + b] += uneven * (s - (c === own ? 1 : 0)) * other;
      }
    }
  }

  /** The second terms v = (σ_{k−1} − σ_k)·half; empties the list of them. */
  #boundary(block: Block, times: number, half: number): void {
    const { moved, vv } = this;
    for (let k = 0; k < this.#union; k++) {
      const c = this.#second[k];
      const s = this.#v[c];
      block.second[c] += s * half;
      if (times === 0) continue;
      for (let m = 0; m < this.#union; m++) {
        const b = this.#second[m];
        if (b > c) continue;
        const product = times * s * this.#v[b];
        moved[triangle(c) + b] += product;
        vv[triangle(c) + b] += half * half * product;
      }
    }
    for (let k = 0; k < this.#union; k++) {
      this.#v[this.#second[k]] = 0;
      this.#isIn[this.#second[k]] = 0;
    }
  }

  #first(
    row: WhitenedRows,
    power: Float64Array,
    { times, half }: { times: number; half: number },
  ): void {
    const { values, active, length } = row;
    let r = row.y;
    for (let k = 0; k < length; k++) {
      if (active[k] < power.length) r -= values[k] * power[active[k]];
    }
    const { u, uv } = this;
    const wr = row.weight * r;
    const square = times * wr * wr;
    for (let k = 0; k < length; k++) {
      const a = active[k];
      const base = triangle(a);
      const z = square * values[k];
      for (let m = 0; m <= k; m++) u[base + active[m]] += z * values[m];
      const line = a * this.stride;
      const first = times * wr * values[k] * half;
      for (let m = 0; m < this.#union; m++) {
        const c = this.#second[m];
        uv[line + c] += first * this.#v[c];
      }
    }
  }

  #put(c: number, share: number): void {
    this.#v[c] += share;
    if (this.#isIn[c] === 1) return;
    this.#isIn[c] = 1;
    this.#second[this.#union++] = c;
  }

  #block(classes: number): Block {
    let block = this.blocks[this.blocks.length - 1];
    if (block.intervals === this.#perBlock) {
      const most = classes > MANY_CLASSES ? MOST_BLOCKS / 2 : MOST_BLOCKS;
      if (this.blocks.length >= most) this.#merge();
      block = newBlock();
      this.blocks.push(block);
    }
    block.intervals++;
    if (classes > block.second.length) block.second = grown(block.second, classes);
    return block;
  }

  #merge(): void {
    const { blocks } = this;
    const half = blocks.length >> 1;
    for (let i = 0; i < half; i++) {
      const [one, other] = [blocks[2 * i], blocks[2 * i + 1]];
      one.sums.addAll(other.sums);
      if (other.second.length > one.second.length) {
        one.second = grown(one.second, other.second.length);
      }
      for (let c = 0; c < other.second.length; c++) one.second[c] += other.second[c];
      one.intervals += other.intervals;
      blocks[i] = one;
    }
    if (blocks.length % 2 === 1) blocks[half] = blocks[blocks.length - 1];
    blocks.length = half + blocks.length % 2;
    this.#perBlock *= 2;
  }

  #grow(classes: number): void {
    this.inside = grown(this.inside, classes);
    const stride = this.inside.length;
    this.vv = lengthened(this.vv, triangle(stride));
    this.insideBoth = lengthened(this.insideBoth, triangle(stride));
    this.mixed = lengthened(this.mixed, triangle(stride));
    this.unmarked = lengthened(this.unmarked, triangle(stride));
    this.moved = lengthened(this.moved, triangle(stride));
    this.#v = grown(this.#v, stride);
    this.#isIn = new Uint8Array(stride);
    this.#second = new Int32Array(stride);
    this.u = lengthened(this.u, triangle(stride));
    this.uv = widened(this.uv, this.stride, stride);
    this.stride = stride;
  }
}

function newBlock(): Block {
  return { sums: new NormalSums(), second: new Float64Array(16), intervals: 0 };
}
