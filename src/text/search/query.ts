/** The tree of a text search query: construction, and removal of stop words. */
import { ApiError } from '../../base/errors.ts';
import type { Reader } from './lexemes.ts';

export type Query =
  | { readonly kind: 'lexeme'; readonly text: string; readonly prefix: boolean; readonly weights: string }
  | { readonly kind: 'not'; readonly of: Query }
  | { readonly kind: 'and'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'or'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'phrase'; readonly left: Query; readonly right: Query; readonly distance: number };

/** A query with gaps in place of its stop words. */
export type Draft =
  | { readonly kind: 'gap' }
  | Extract<Query, { kind: 'lexeme' }>
  | { readonly kind: 'not'; readonly of: Draft }
  | { readonly kind: 'and' | 'or'; readonly left: Draft; readonly right: Draft }
  | { readonly kind: 'phrase'; readonly left: Draft; readonly right: Draft; readonly distance: number };

export type Operator = { readonly kind: 'not' | 'and' | 'or' } | { readonly kind: 'phrase'; readonly distance: number };

export const GAP: Draft = { kind: 'gap' };
export const NEXT_TO: Operator = { kind: 'phrase', distance: 1 };

/** Few enough terms for recursion. */
const MAX_TERMS = 2000;
/** The most pending operators within the same parentheses; PostgreSQL fails with more. */
const MAX_PENDING = 32;

const PRECEDENCE: Readonly<Record<Operator['kind'], number>> = { not: 4, phrase: 3, and: 2, or: 1 };

/** Builds a tree from operands and operators in their written order (shunting yard, without recursion). */
export class Builder {
  readonly #operands: Draft[] = [];
  readonly #operators: (Operator | 'open')[] = [];
  #terms = 0;

  operand(draft: Draft): void {
    this.#grow();
    this.#operands.push(draft);
  }

  operator(operator: Operator): void {
    this.#grow();
    // `!` applies to the next operand, so no earlier operator is complete yet.
    if (operator.kind !== 'not') this.#reduce(PRECEDENCE[operator.kind]);
    const pending = this.#operators.slice(-MAX_PENDING);
    if (pending.length === MAX_PENDING && !pending.includes('open')) throw tooLarge('Write fewer negations in a row.');
    this.#operators.push(operator);
  }

  open(): void {
    this.#grow();
    this.#operators.push('open');
  }

  close(): void {
    this.#reduce(0);
    this.#operators.pop();
  }

  /** The finished tree; null if the query is empty. */
  finish(): Draft | null {
    this.#reduce(0);
    return this.#operands.pop() ?? null;
  }

  #reduce(precedence: number): void {
    for (let top = this.#operators.at(-1); top && top !== 'open'; top = this.#operators.at(-1)) {
      if (PRECEDENCE[top.kind] < precedence) return;
      this.#operators.pop();
      const right = this.#operands.pop() ?? GAP;
      if (top.kind === 'not') this.#operands.push({ kind: 'not', of: right });
      else this.#operands.push({ ...top, left: this.#operands.pop() ?? GAP, right } as Draft);
    }
  }

  #grow(): void {
    this.#terms += 1;
    if (this.#terms > MAX_TERMS) throw tooLarge('Search for fewer words.');
  }
}

function tooLarge(hint: string): ApiError {
  return new ApiError('54000', 'tsquery is too large', { hint });
}

export interface OperandFlags {
  readonly prefix: boolean;
  readonly weights: string;
}

/** Adds the lexemes of one operand, joined by `operator`, with a gap for each stop word between them. */
export function addText(builder: Builder, text: string, read: Reader, operator: Operator, flags: OperandFlags): void {
  builder.open();
  let position = 0;
  for (const lexeme of read(text)) {
    while (position > 0 && position + 1 < lexeme.position) {
      builder.operator(operator);
      builder.operand(GAP);
      position += 1;
    }
    if (position > 0) builder.operator(operator);
    builder.operand({ kind: 'lexeme', text: lexeme.text, ...flags });
    position = lexeme.position;
  }
  if (position === 0) builder.operand(GAP);
  builder.close();
}

/** A draft without its gaps, and the words that this adds to the phrases at its left and right. */
interface Closed {
  readonly query: Query | null;
  readonly before: number;
  readonly after: number;
}

/** Removes the gaps: `a <-> gap <-> b` is `a <2> b`. Null if nothing is left. */
export function closeGaps(draft: Draft): Query | null {
  return close(draft).query;
}

function close(draft: Draft): Closed {
  if (draft.kind === 'gap') return { query: null, before: 0, after: 0 };
  if (draft.kind === 'lexeme') return { query: draft, before: 0, after: 0 };
  if (draft.kind === 'not') {
    const closed = close(draft.of);
    return { ...closed, query: closed.query && { kind: 'not', of: closed.query } };
  }
  const left = close(draft.left);
  const right = close(draft.right);
  const distance = draft.kind === 'phrase' ? draft.distance : 0;
  if (left.query && right.query) {
    if (draft.kind !== 'phrase')
      return { query: { ...draft, left: left.query, right: right.query }, before: 0, after: 0 };
    const wider = distance + left.after + right.before;
    return {
      query: { kind: 'phrase', left: left.query, right: right.query, distance: wider },
      before: left.before,
      after: right.after,
    };
  }
  if (draft.kind !== 'phrase') {
    if (left.query || right.query) return left.query ? left : right;
    const width = Math.max(left.before, right.before);
    return { query: null, before: width, after: width };
  }
  if (left.query) return { ...left, after: left.after + distance + right.after };
  const before = left.before + distance + right.before;
  return { query: right.query, before, after: right.query ? right.after : before };
}
