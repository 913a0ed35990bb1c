/**
 * Keys to assign once the largest possible one was used. They begin after the highest key that is followed by as many
 * free ones as are wanted, which is where they would have gone on had nobody taken the end.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { INT4_MAX } from '../../limits.ts';
import { buildStatement, identifier, type SqlDialect, type Statement } from './statement.ts';

/** One row with the key, or 0, after which `count` keys are free; null where there is none. Looks from the top down. */
export function compileFreePosition({ name, key }: Collection, count: number, dialect: SqlDialect): Statement {
  const table = identifier(name);
  const column = identifier(key.name);
  return buildStatement(dialect, (bind) => {
    const isFree = (position: string) =>
      `not exists (select 1 from ${table} as taken where taken.${column} between ${position} + 1 and ${position} + ${bind(count, 'int4')})`;
    const highest = `select ${column} from ${table} as used where ${column} between 1 and ${bind(INT4_MAX - count, 'int4')} and ${isFree(`used.${column}`)} order by ${column} desc limit 1`;
    return `select coalesce((${highest}), case when ${isFree('0')} then 0 end) as position`;
  });
}

interface Numbered<V> {
  readonly rows: readonly (readonly V[])[];
  /** The last key that was assigned. */
  readonly last: number;
}

/** The rows with the keys after a position for those that have none, past the keys that others of them choose. */
export function numberRows<V extends Value | undefined>(
  rows: readonly (readonly V[])[],
  keyPlace: number,
  position: number,
): Numbered<V | number> {
  const chosen = new Set<unknown>(rows.map((row) => row[keyPlace]));
  let last = position;
  const numbered = rows.map((row): readonly (V | number)[] => {
    if ((row[keyPlace] ?? null) !== null) return row;
    do last++;
    while (chosen.has(last));
    return (row as readonly (V | number)[]).with(keyPlace, last);
  });
  return { rows: numbered, last };
}
