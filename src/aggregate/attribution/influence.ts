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
import { grown, triangle } from "./grown.ts";
import { NormalSums } from "./normal_sums.ts";
import type { RowStore } from "./row_store.ts";
import type { Shares } from "./shares.ts";
import type { WhitenedRows } from "./whitened_rows.ts";

const FIRST_BLOCK = 12;
const MOST_BLOCKS = 80;
/** A block of many classes is large. */
const MANY_CLASSES = 64;

/** A stretch of intervals. */
export interface Block {
  readonly sums: NormalSums;
  /** Sum of the second terms, by class. */
  second: Float64Array;
  intervals: number;
}

/** See the module. */
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
  /** The second term, by class. */
  #v = new Float64Array(16);

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
    const half = (this.#leftJ - shares.leftJ) / 2;
    const hasSecond = this.#length > 0;
    if (hasSecond) {
      for (let k = 0; k < this.#length; k++) this.#v[this.#classes[k]] += this.#sigma[k] * half;
      for (let k = 0; k < n; k++) this.#v[rows.classes[from + k]] -= shares.sigma[k] * half;
    }
    if (row.counts) {
      block.sums.add(row);
      this.#first(rows, i, row, power, hasSecond);
    }
    if (hasSecond) {
      for (let k = 0; k < this.#length; k++) this.#take(block, this.#classes[k]);
      for (let k = 0; k < n; k++) this.#take(block, rows.classes[from + k]);
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

  #first(
    rows: RowStore,
    i: number,
    row: WhitenedRows,
    power: Float64Array,
    hasSecond: boolean,
  ): void {
    const { z, active, length } = row;
    let r = row.y;
    for (let k = 0; k < length; k++) {
      if (active[k] < power.length) r -= z[active[k]] * power[active[k]];
    }
    const wr = row.weight * r;
    const from = rows.start[i];
    const to = rows.start[i + 1];
    for (let k = 0; k < length; k++) {
      const a = active[k];
      const u = wr * z[a];
      const base = triangle(a);
      this.u[base + a] += u * u;
      for (let m = 0; m < k; m++) {
        const b = active[m];
        this.u[a > b ? base + b : triangle(b) + a] += u * wr * z[b];
      }
      if (!hasSecond) continue;
      const line = a * this.stride;
      // Classes of both intervals; those of the present one only once.
      for (let e = from; e < to; e++) {
        const c = rows.classes[e];
        this.uv[line + c] += u * this.#v[c];
      }
      for (let m = 0; m < this.#length; m++) {
        const c = this.#classes[m];
        if (!inRow(rows, from, to, c)) this.uv[line + c] += u * this.#v[c];
      }
    }
  }

  #take(block: Block, c: number): void {
    const v = this.#v[c];
    if (v === 0) return;
    block.second[c] += v;
    this.vv[c] += v * v;
    this.#v[c] = 0;
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

function inRow(rows: RowStore, from: number, to: number, c: number): boolean {
  for (let e = from; e < to; e++) if (rows.classes[e] === c) return true;
  return false;
}
