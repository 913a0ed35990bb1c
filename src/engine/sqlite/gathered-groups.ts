/**
 * Groups of a large table. SQLite sorts all rows to group them. Where there are few groups it is several times quicker to add up each
 * of them here, as the rows come. What comes of that are parts of groups, which SQLite groups as it would group rows: it is still the one
 * that tells groups apart, orders them, and makes their sums.
 */
import type { Database } from 'bun:sqlite';
import { MAX_GATHERED_GROUPS, MAX_GATHERED_LENGTH } from '../../limits.ts';
import { type Expression, fieldOf, type ReadPlan, type Shape } from '../../plan/types.ts';
import { type ColumnsOf, type Gathered, identifier, type SqlDialect } from '../compile/statement.ts';
import { guardedDialect } from './dialect.ts';
import { hasIndex } from './schema.ts';

/** There are more groups than are gathered: SQLite sorts the rows. */
export class TooManyGroups extends Error {}

export const gatheringDialect: SqlDialect = { ...guardedDialect, gather };

/** Whether it may be quicker: nothing has to be sorted where there is but one group, or where an index has the rows in order. */
export function mayGather({ groupBy = [], columns }: ReadPlan): boolean {
  const [only] = groupBy;
  if (only === undefined) return false;
  const field = groupBy.length === 1 ? fieldOf(only) : undefined;
  return (
    field === undefined || !hasIndex(field) || columns.some(({ expression }) => aggregateIn(expression) !== undefined)
  );
}

function gather({ groupBy = [], columns, order }: Shape, from: string, columnOf: ColumnsOf): Gathered | undefined {
  const made = columns.map(({ expression }) => (expression.kind === 'cast' ? expression.of : expression));
  const sums = [...new Set(made.flatMap((each) => aggregateIn(each) ?? []))];
  const isKey = (expression: Expression) => fieldOf(expression)?.type.sqlite.isSame === true;
  const isMade = (expression: Expression) =>
    groupBy.includes(expression) || expression.kind === 'count' || isSum(expression);
  const isOrdered = (expression: Expression) => groupBy.includes(expression) || made.includes(expression);
  if (!groupBy.every(isKey) || !made.every(isMade) || !order.every((key) => isOrdered(key.expression)))
    return undefined;
  const values = [...groupBy.map(columnOf), ...sums.map((sum) => sum.of.type.sqlite.parts!.each(columnOf(sum.of)))];
  const names = [...groupBy.map((_, at) => `key ${at}`), 'rows', ...sums.map((_, at) => `sum ${at}`)].map(identifier);
  const parts = names.map((name, at) => `json_extract(value, '$[${at}]') as ${name}`);
  const counts = made.filter(({ kind }) => kind === 'count');
  return {
    from: `from (select ${parts.join(', ')} from json_each((select gathered_groups(${[groupBy.length, ...values].join(', ')}) ${from})))`,
    computed: new Map<Expression, string>([
      ...groupBy.map((key, at) => [key, names[at]!] as const),
      ...counts.map((count) => [count, `sum(${names[groupBy.length]!})`] as const),
      ...sums.map((sum, at) => [sum, sum.of.type.sqlite.parts!.sum(names[groupBy.length + 1 + at]!)] as const),
    ]),
  };
}

type Aggregate = Extract<Expression, { kind: 'aggregate' }>;

function aggregateIn(expression: Expression): Aggregate | undefined {
  return expression.kind === 'aggregate'
    ? expression
    : expression.kind === 'cast'
      ? aggregateIn(expression.of)
      : undefined;
}

function isSum(expression: Expression): boolean {
  return (
    expression.kind === 'aggregate' &&
    expression.function === 'sum' &&
    expression.of.kind === 'field' &&
    expression.of.type.sqlite.parts !== undefined
  );
}

export function defineGathering(db: Database): void {
  db.aggregate('gathered_groups', {
    varargs: true,
    start: () => new Groups(),
    step: (groups: Groups, keys: number, ...values: Stored[]) => groups.add(keys, values),
    result: (groups: Groups) => JSON.stringify(groups.parts),
  });
}

type Stored = number | string | null;
type Level = Map<Stored, Level | Stored[]>;

class Groups {
  /** Of each the keys, the number of rows, and the sums. */
  readonly parts: Stored[][] = [];
  private readonly first: Level = new Map();
  private length = 0;

  add(keys: number, values: Stored[]): void {
    let level = this.first;
    for (let at = 0; at < keys - 1; at++) {
      let next = level.get(values[at]!) as Level | undefined;
      if (next === undefined) {
        next = new Map();
        level.set(values[at]!, next);
      }
      level = next;
    }
    const last = values[keys - 1]!;
    let part = level.get(last) as Stored[] | undefined;
    if (part === undefined || !hasRoom(part, keys, values)) {
      part = this.begin(keys, values);
      level.set(last, part);
    }
    part[keys] = (part[keys] as number) + 1;
    for (let at = keys; at < values.length; at++) {
      const value = values[at] as number | null;
      if (value !== null) part[at + 1] = ((part[at + 1] as number | null) ?? 0) + value;
    }
  }

  private begin(keys: number, values: Stored[]): Stored[] {
    for (let at = 0; at < keys; at++) {
      const key = values[at];
      if (typeof key === 'string') this.length += key.length;
    }
    if (this.parts.length === MAX_GATHERED_GROUPS || this.length > MAX_GATHERED_LENGTH) throw new TooManyGroups();
    const part: Stored[] = [...values.slice(0, keys), 0, ...values.slice(keys).map(() => null)];
    this.parts.push(part);
    return part;
  }
}

/** A sum that a double would not hold goes on in another part. */
function hasRoom(part: Stored[], keys: number, values: Stored[]): boolean {
  for (let at = keys; at < values.length; at++) {
    if (!Number.isSafeInteger((part[at + 1] as number) + (values[at] as number))) return false;
  }
  return true;
}
