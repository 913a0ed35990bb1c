/** Reads the whole row of a key, from which its version is computed. */
import type { Collection } from '../../collection/declaration.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { andAlso } from '../access/permissions.ts';
import { type Key, keyIs } from '../keys.ts';
import type { ReadPlan } from '../types.ts';
import type { Precondition } from '../write-plan.ts';
import { NO_ORDER } from './order.ts';
import { wholeRow } from './shape.ts';

/** All fields as JSON. Column names matter only for CSV. */
export const WHOLE_ROW_JSON: Encoding = { format: 'json', stripNulls: false, columns: ['*'] };

export function planWholeRow(from: Collection, key: Key): ReadPlan {
  return { kind: 'read', from, columns: wholeRow(from), order: NO_ORDER, where: keyIs(from, key), offset: 0 };
}

/** The part of the row that the caller sees. */
export function planVisibleRow(from: Collection, { key, seen }: Precondition): ReadPlan {
  const plan = planWholeRow(from, key);
  return seen === undefined ? plan : { ...plan, columns: seen.columns, where: andAlso(plan.where, seen.where) };
}
