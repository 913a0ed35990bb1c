/**
 * The simplest possible catalogue, as a reference for the real engines: rows in a list, and writes as functions on it.
 */
import type { Row, Value } from '../../../src/collection/value.ts';

/** The rows after a write, and the written rows in their order; undefined if the write is rejected. */
export type Effect = { readonly rows: readonly Row[]; readonly written: readonly Row[] } | undefined;

export type Holds = (row: Row) => boolean;

/** An order with an offset and a limit, which selects some of the matching rows. */
export interface Bound {
  readonly field: string;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

const REQUIRED = ['id', 'product_name', 'discontinued'];
const EMPTY: Row = {
  id: null,
  product_name: null,
  discontinued: 0,
  supplier_id: null,
  category_id: null,
  quantity_per_unit: null,
  unit_price: null,
  units_in_stock: null,
  units_on_order: null,
  reorder_level: null,
};

const isComplete = (row: Row) => REQUIRED.every((name) => row[name] !== null);
const sorted = (rows: Iterable<Row>) => [...rows].sort((one, other) => Number(one.id) - Number(other.id));
const keyed = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

export function insert(
  rows: readonly Row[],
  sent: readonly Row[],
  onConflict: 'refuse' | 'merge' | 'keep',
  assigned: readonly number[],
): Effect {
  const stored = keyed(rows);
  const written: Row[] = [];
  const seen = new Set<Row[string]>();
  for (const [index, given] of sent.entries()) {
    const row: Row = { ...EMPTY, ...given, id: given.id === undefined ? (assigned[index] ?? null) : given.id };
    if (!isComplete(row)) return undefined;
    const existing = stored.get(row.id!);
    if (onConflict === 'merge' && seen.has(row.id!)) return undefined;
    if (existing !== undefined && onConflict === 'refuse') return undefined;
    seen.add(row.id!);
    if (existing !== undefined && onConflict === 'keep') continue;
    const result = existing === undefined ? row : { ...existing, ...given };
    stored.set(row.id!, result);
    written.push(result);
  }
  return { rows: sorted(stored.values()), written };
}

export function update(rows: readonly Row[], holds: Holds, bound: Bound | undefined, set: Row, isItem = false): Effect {
  const met = meant(rows, holds, bound);
  if (isItem && met.length === 0) return undefined;
  if (met.length === 0 || (Object.keys(set).length === 0 && !isItem)) return { rows, written: [] };
  const changed = met.map((row) => ({ ...row, ...set }));
  if (!changed.every(isComplete)) return undefined;
  const others = rows.filter((row) => !met.includes(row));
  const after = keyed([...others, ...changed]);
  return after.size === rows.length ? { rows: sorted(after.values()), written: changed } : undefined;
}

export function updateEach(rows: readonly Row[], changes: readonly Row[]): Effect {
  const stored = keyed(rows);
  const written: Row[] = [];
  for (const change of changes) {
    const existing = stored.get(change.id!);
    if (existing === undefined || !isComplete({ ...existing, ...change })) return undefined;
    stored.set(change.id!, { ...existing, ...change });
    written.push(stored.get(change.id!)!);
  }
  return { rows: sorted(stored.values()), written };
}

/** Replaces a row; missing fields take their defaults. Under the URL of an item, the row must already exist. */
export function replace(rows: readonly Row[], id: Value, sent: Row, isItem: boolean): Effect {
  const row = { ...EMPTY, ...sent };
  if (row.id !== id || !isComplete(row)) return undefined;
  const stored = keyed(rows);
  if (isItem && !stored.has(id)) return undefined;
  return { rows: sorted(stored.set(id, row).values()), written: [row] };
}

export function remove(rows: readonly Row[], holds: Holds, bound: Bound | undefined, isItem = false): Effect {
  const met = meant(rows, holds, bound);
  if (isItem && met.length === 0) return undefined;
  return { rows: rows.filter((row) => !met.includes(row)), written: met };
}

/** Compares texts by code point. This equals the order of their UTF-8 bytes, but not JavaScript's order. */
function isBefore(left: Row[string], right: Row[string]): boolean {
  if (typeof left === 'string') return Buffer.from(left).compare(Buffer.from(String(right))) < 0;
  return left! < right!;
}

function meant(rows: readonly Row[], holds: Holds, bound: Bound | undefined): readonly Row[] {
  const matching = rows.filter(holds);
  if (bound === undefined) return matching;
  const { field, descending, offset, limit } = bound;
  const compare = (one: Row, other: Row) => {
    const [left, right] = [one[field]!, other[field]!];
    if (left === right) return Number(one.id) - Number(other.id);
    // Nulls come last, or first in descending order.
    const isLess = left === null ? false : right === null || isBefore(left, right);
    return isLess === descending ? 1 : -1;
  };
  return matching.sort(compare).slice(offset, offset + limit);
}
