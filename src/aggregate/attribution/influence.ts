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
import { grown } from "../../core/grow.ts";
import { triangle } from "./triangle.ts";
import { NormalSums } from "./normal_sums.ts";
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
  /** Σ u uᵀ, packed, with u = w r z; Σ u vᵀ by `stride`, v the second term; Σ v² by class. */
  u = new Float64Array(triangle(16));
  uv = new Float64Array(256);
  vv = new Float64Array(16);
  stride = 16;
  /** Σ σ(1 − σ)d² by class. */
  inside = new Float64Array(16);
  #perBlock = FIRST_BLOCK;
  /** The interval before: its shares by class, and what was left of its energy. */
  #classes = new Int32Array(16);
  #sigma = new Float64Array(16);
  #length = 0;
  #leftJ = 0;
  /** The second term, by class, and the classes that have one. */
  #v = new Float64Array(16);
  #isIn = new Uint8Array(16);
  #second = new Int32Array(16);
  #union = 0;
  #rows = 0;

  /**
   * Takes a row.
   *
   * @param power W per CPU by class: the best known so far.
   */
  take(rows: RowStore, i: number, row: WhitenedRows, shares: Shares, power: Float64Array): void {
    if (rows.count > this.stride) this.#grow(rows.count);
    const block = this.#block(rows.count);
    if (rows.fresh[i] === 1) this.#length = 0;
    const from = rows.start[i];
    const n = rows.start[i + 1] - from;
    this.#union = 0;
    if (this.#length > 0) {
      const half = (this.#leftJ - shares.leftJ) / 2;
      for (let k = 0; k < this.#length; k++) this.#put(this.#classes[k], this.#sigma[k] * half);
      for (let k = 0; k < n; k++) this.#put(rows.classes[from + k], -shares.sigma[k] * half);
    }
    // Later rows of a long run: each fourth one stands for four.
    const times = this.#rows < ALL_ROWS ? 1 : this.#rows % EACH === 0 ? EACH : 0;
    this.#rows++;
    if (row.counts) {
      block.sums.add(row);
      if (times > 0) this.#first(row, power, times);
    }
    for (let k = 0; k < this.#union; k++) {
      const c = this.#second[k];
      const v = this.#v[c];
      block.second[c] += v;
      this.vv[c] += times * v * v;
      this.#v[c] = 0;
      this.#isIn[c] = 0;
    }
    const d = rows.lengthS[i];
    if (n > this.#sigma.length) {
      this.#sigma = grown(this.#sigma, n);
      this.#classes = new Int32Array(this.#sigma.length);
    }
    for (let k = 0; k < n; k++) {
      const c = rows.classes[from + k];
      const s = shares.sigma[k];
      this.inside[c] += s * (1 - s) * d * d;
      this.#classes[k] = c;
      this.#sigma[k] = s;
    }
    this.#length = n;
    this.#leftJ = shares.leftJ;
  }

  #first(row: WhitenedRows, power: Float64Array, times: number): void {
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
      const first = times * wr * values[k];
      for (let m = 0; m < this.#union; m++) {
        const c = this.#second[m];
        uv[line + c] += first * this.#v[c];
      }
    }
  }

  /** Adds to the second term. */
  #put(c: number, joules: number): void {
    this.#v[c] += joules;
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
    this.vv = grown(this.vv, classes);
    const stride = this.vv.length;
    this.inside = grown(this.inside, stride);
    this.#v = grown(this.#v, stride);
    this.#isIn = new Uint8Array(stride);
    this.#second = new Int32Array(stride);
    this.u = grown(this.u, triangle(stride));
    const wider = new Float64Array(stride * stride);
    for (let i = 0; i < this.stride; i++) {
      wider.set(this.uv.subarray(i * this.stride, (i + 1) * this.stride), i * stride);
    }
    this.uv = wider;
    this.stride = stride;
  }
}

function newBlock(): Block {
  return { sums: new NormalSums(), second: new Float64Array(16), intervals: 0 };
}
