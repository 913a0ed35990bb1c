/**
 * Hash aggregation for large tables. SQLite sorts all rows to group them. With few groups it takes half the time to
 * aggregate in JavaScript as rows arrive. The results are partial groups, which SQLite then groups like rows: it still
 * compares, orders and sums the groups.
 */
import type { Database } from 'bun:sqlite';
import { MAX_HASH_GROUP_LENGTH, MAX_HASH_GROUPS } from '../../../base/limits/engine.ts';
import { type Expression, fieldOf, isAlways, type ReadPlan, type Shape } from '../../../plan/types.ts';
import type { Output } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { type ColumnsOf, identifier, type JsonAggregate, type SqlDialect } from '../../sql/statement.ts';
import { spendRow } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import type { ReadAttempt } from '../read-threads/reader.ts';
import { hasIndex } from '../schema/schema.ts';

/** There are too many groups for memory, so SQLite sorts the rows. */
export class TooManyGroups extends Error {}

/** Compiles a hash aggregation. Returns undefined if the keys or aggregates cannot be computed in parts. */
export function compileHashAggregate(plan: ReadPlan, output: Output): ReadAttempt | undefined {
  let isHashed = false;
  // Counts every aggregated row; rows that a condition excludes are counted separately.
  const dialect: SqlDialect = {
    ...(isAlways(plan.where) ? sqliteDialect : guardedDialect),
    partialGroups(...query) {
      const groups = compilePartialGroups(...query);
      isHashed = groups !== undefined;
      return groups;
    },
  };
  const statement = compileRead(plan, output, dialect);
  return isHashed ? { statement } : undefined;
}

/** Whether SQLite would sort: not for a single group, or for rows in index order. */
export function mustSort({ groupBy = [], columns }: ReadPlan): boolean {
  const [only] = groupBy;
  if (only === undefined) return false;
  const field = groupBy.length === 1 ? fieldOf(only) : undefined;
  if (field === undefined || !hasIndex(field)) return true;
  return columns.some(({ expression }) => aggregateIn(expression) !== undefined);
}

function compilePartialGroups(
  { groupBy = [], columns, order }: Shape,
  from: string,
  columnOf: ColumnsOf,
): JsonAggregate | undefined {
  const results = columns.map(({ expression }) => (expression.kind === 'cast' ? expression.of : expression));
  const sums = [...new Set(results.flatMap((each) => aggregateIn(each) ?? []))];
  const isKey = (expression: Expression) => fieldOf(expression)?.type.sqlite.isSame === true;
  const isResult = (expression: Expression) =>
    groupBy.includes(expression) || expression.kind === 'count' || isSum(expression);
  const isOrdered = (expression: Expression) => groupBy.includes(expression) || results.includes(expression);
  if (!groupBy.every(isKey) || !results.every(isResult) || !order.every((key) => isOrdered(key.expression)))
    return undefined;
  const values = [...groupBy.map(columnOf), ...sums.map((sum) => sum.of.type.sqlite.parts!.each(columnOf(sum.of)))];
  if (values.length > MAX_VALUES) return undefined;
  const padded = [groupBy.length, ...values, ...Array<string>(MAX_VALUES - values.length).fill('null')];
  const names = [...groupBy.map((_, at) => `key ${at}`), 'rows', ...sums.map((_, at) => `sum ${at}`)].map(identifier);
  const parts = names.map((name, at) => `json_extract(value, '$[${at}]') as ${name}`);
  const counts = results.filter(({ kind }) => kind === 'count');
  return {
    from: `from (select ${parts.join(', ')} from json_each((select hash_groups(${padded.join(', ')}) ${from})))`,
    computed: new Map<Expression, string>([
      ...groupBy.map((key, at) => [key, names[at]!] as const),
      ...counts.map((count) => [count, `sum(${names[groupBy.length]!})`] as const),
      ...sums.map((sum, at) => [sum, sum.of.type.sqlite.parts!.sum(names[groupBy.length + 1 + at]!)] as const),
    ]),
  };
}

type Aggregate = Extract<Expression, { kind: 'aggregate' }>;

function aggregateIn(expression: Expression): Aggregate | undefined {
  if (expression.kind === 'cast') return aggregateIn(expression.of);
  return expression.kind === 'aggregate' ? expression : undefined;
}

function isSum(expression: Expression): boolean {
  return (
    expression.kind === 'aggregate' &&
    expression.function === 'sum' &&
    expression.of.kind === 'field' &&
    expression.of.type.sqlite.parts !== undefined
  );
}

type Stored = number | string | null;
type Level = Map<Stored, Level | Stored[]>;

/** The maximum number of keys and sums. The function always gets this many: a variable number would allocate a list. */
const MAX_VALUES = 5;

export function defineHashAggregate(db: Database): void {
  db.aggregate('hash_groups', {
    start: () => new Groups(),
    step: (groups: Groups, keys: number, a: Stored, b: Stored, c: Stored, d: Stored, e: Stored) => {
      const { values } = groups;
      values[0] = a;
      values[1] = b;
      values[2] = c;
      values[3] = d;
      values[4] = e;
      groups.add(keys);
    },
    result: ({ parts }) => JSON.stringify(parts),
  });
}

class Groups {
  /** The keys and summands of the current row. */
  readonly values: Stored[] = [null, null, null, null, null];
  /** Each partial group: keys, number of rows, sums. */
  readonly parts: Stored[][] = [];
  private readonly first: Level = new Map();
  private length = 0;

  add(keys: number): void {
    spendRow();
    const { values } = this;
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
      part = this.begin(keys);
      level.set(last, part);
    }
    part[keys] = (part[keys] as number) + 1;
    for (let at = keys; at < MAX_VALUES; at++) {
      const value = values[at] as number | null;
      if (value !== null) part[at + 1] = ((part[at + 1] as number | null) ?? 0) + value;
    }
  }

  private begin(keys: number): Stored[] {
    const names = this.values.slice(0, keys);
    for (const name of names) if (typeof name === 'string') this.length += name.length;
    if (this.parts.length === MAX_HASH_GROUPS || this.length > MAX_HASH_GROUP_LENGTH) throw new TooManyGroups();
    const part: Stored[] = [...names, 0, ...this.values.slice(keys).map(() => null)];
    this.parts.push(part);
    return part;
  }
}

/** Starts another partial group before a sum exceeds a double's precision. */
function hasRoom(part: Stored[], keys: number, values: Stored[]): boolean {
  for (let at = keys; at < MAX_VALUES; at++) {
    if (!Number.isSafeInteger((part[at + 1] as number) + (values[at] as number))) return false;
  }
  return true;
}
