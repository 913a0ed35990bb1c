/**
 * Compiles the select list. Most rows have columns of plain values, which JSON.stringify prints fastest. If a column
 * has no plain value (json, int8, arrays), the database builds the JSON text of the whole row. CSV needs the text form
 * of each column. The text forms of the order keys may follow: the page end.
 */
import { memoize } from '../../base/memo.ts';
import type { MediaHandler } from '../../collection/draft.ts';
import { itself } from '../../collection/types/type.ts';
import type { Row } from '../../collection/value.ts';
import { cellName, type Encoding, ROW, type RowForm } from '../../encode/encoding.ts';
import { endKeys, visibleKeys } from '../../plan/read/page.ts';
import { type Expression, namedField, type OrderKey, type OutputColumn, type ReadPlan } from '../../plan/types.ts';
import type { ReadResult } from '../engine.ts';
import { compileExpression, type Scope } from './expression.ts';
import { anyEmbedded, columnSizes, isEmbedding, longValueOf } from './row-size.ts';
import { type Bind, type ByteBudget, identifier, type SqlDialect } from './statement.ts';

export interface Output extends ByteBudget {
  readonly form: RowForm;
  readonly stripNulls: boolean;
  /** Each row is the bare value of its only column. */
  readonly bare?: boolean;
  readonly handler?: MediaHandler;
  /** Order keys whose text forms are returned as additional columns. */
  readonly keys?: readonly OrderKey[];
}

/**
 * Matches a column name that can be an SQL alias: not longer than an identifier, not `__proto__`, and not a number,
 * which JavaScript would move to the front. Other names only occur in JSON text.
 */
const ORDINARY = /^(?!__proto__$|\d+$)[\w$-]{1,60}$/;

/** The output of rows without a page. */
export function outputOf(columns: readonly OutputColumn[], encoding: Encoding, dialect: SqlDialect): Output {
  const { format, stripNulls, handler } = encoding;
  if (handler !== undefined) return { form: 'typed', stripNulls, handler };
  if (format === 'csv' || format === 'xlsx') return { form: 'text', stripNulls };
  if (encoding.bare === true) return { form: 'json', stripNulls, bare: true };
  return { form: formOf(dialect)(columns), stripNulls };
}

/** Cached, since requests share lists of columns. */
const formOf = memoize(({ plain }: SqlDialect) =>
  memoize((columns: readonly OutputColumn[]): RowForm => {
    // Embedded values are already JSON.
    const isPlain = columns.every(({ name, expression }) => {
      return ORDINARY.test(name) && plain(expression.type) !== undefined && !isEmbedding(expression);
    });
    return isPlain ? 'plain' : 'json';
  }),
);

export function outputOfRead(plan: ReadPlan, encoding: Encoding, dialect: SqlDialect): Output {
  const output = outputOf(plan.columns, encoding, dialect);
  const keys = endKeysOf(plan, dialect);
  if (keys === undefined || output.handler !== undefined) return output;
  if (keys.length === 0) return { ...output, keys };
  if (output.form === 'plain' && visibleKeys(keys, plan.columns) !== undefined) return output;
  return { ...output, form: output.form === 'plain' ? 'json' : output.form, keys };
}

/** Empty if filters read a key with a cast, which may not return the same value: the next page has an offset. */
export function endKeysOf(plan: ReadPlan, { ownText }: SqlDialect): readonly OrderKey[] | undefined {
  const keys = endKeys(plan);
  return keys?.some(({ expression }) => ownText?.(expression.type) !== undefined) ? [] : keys;
}

/** The columns that hold the page end, or undefined. */
export function pageEndNames(plan: ReadPlan, output: Output): readonly string[] | undefined {
  if (output.keys?.length === 0) return undefined;
  if (output.keys !== undefined) return output.keys.map((_, index) => keyName(index));
  const keys = endKeys(plan);
  return keys && visibleKeys(keys, plan.columns);
}

/** The page end: the text forms of the last row's order keys; undefined if unavailable. */
export function pageEnd(plan: ReadPlan, output: Output, last: Row | undefined): ReadResult['end'] {
  return pageEndIn(pageEndNames(plan, output), last);
}

export function pageEndIn(names: readonly string[] | undefined, last: Row | undefined): ReadResult['end'] {
  if (last === undefined) return undefined;
  return names?.map((name) => (last[name] === null ? null : String(last[name])));
}

/** Compiles the expression of a column, or refers to a precomputed one. */
export type CompileColumn = (expression: Expression, index: number) => string;

/** The columns of rows, how they are printed, and the scope of the rows. */
interface Selection {
  readonly columns: readonly OutputColumn[];
  readonly output: Output;
  readonly scope: Scope;
  /** Compiles them if they are precomputed. */
  readonly computed?: CompileColumn;
}

export function compileOutput(selection: Selection): string {
  const { scope, output } = selection;
  const { form, keys } = output;
  const columns = () => (selection.computed ? compileColumns(selection) : compiledOnce(selection));
  const rows = form === 'number' ? `${identifier(scope.name)}.rowid as ${identifier(ROW)}` : columns();
  if (keys === undefined) return rows;
  const ends = keys.map(({ expression }, index) => {
    return `${scope.dialect.text(compileExpression(expression, scope), expression.type)} as ${identifier(keyName(index))}`;
  });
  return [rows, ...ends].join(', ');
}

/** Caches compiled columns without parameters. Compiling 21 columns takes 23 µs, a fifth of reading a page. */
const compiled = memoize((_columns: readonly OutputColumn[]) => new Map<string, string | undefined>());

/** Columns without parameters always give the same SQL. */
function compiledOnce({ columns, output, scope }: Selection): string {
  const cache = compiled(columns);
  const keys = output.keys?.map(({ expression }) => `${expression.kind} ${namedField(expression)?.name}`).join() ?? '';
  const bound = output.bounded === undefined ? '' : `${output.bounded} ${output.share} ${keys}`;
  const { dialect, depth } = scope;
  const name = `${dialect.name} ${dialect.guard} ${output.form} ${output.stripNulls} ${output.bare} ${bound} ${scope.name} ${depth}`;
  const sql = cache.get(name);
  if (sql !== undefined) return sql;
  if (cache.has(name)) return compileColumns({ columns, output, scope });
  let hasParameters = false;
  const bind: Bind = (value, type) => {
    hasParameters = true;
    return scope.bind(value, type);
  };
  const columnsSql = compileColumns({ columns, output, scope: { ...scope, bind } });
  cache.set(name, hasParameters ? undefined : columnsSql);
  return columnsSql;
}

function compileColumns(selection: Selection): string {
  const { columns, output, scope, computed } = selection;
  const { dialect } = scope;
  const { form, stripNulls } = output;
  const compile = computed ?? ((expression) => compileExpression(expression, scope));
  if (columns.length === 0) return form === 'json' ? `'{}' as ${identifier(ROW)}` : form === 'typed' ? '' : 'null';
  const sizes = sizesOf(selection);
  const least = columnSizes(columns).minBytes;
  const within = (sql: string) => dialect.boundedValue?.(sql, sizes, least, output) ?? sql;
  if (output.bare === true) {
    const [{ expression }] = columns as readonly [OutputColumn];
    return `${within(dialect.valueAsJson(compile(expression, 0), expression.type))} as ${identifier(ROW)}`;
  }
  if (form === 'json') {
    const members = columns.map(({ name, expression }, index): [string, string] => [
      name,
      dialect.json(compile(expression, index), expression.type),
    ]);
    return `${within(dialect.rowAsJson(members, stripNulls))} as ${identifier(ROW)}`;
  }
  // Columns are computed in order: the budget is checked before the first long one.
  const firstLong = columns.findIndex(
    ({ expression }) => isEmbedding(expression) || longValueOf(expression) !== undefined,
  );
  return columns
    .map(({ name, expression }, index) => {
      const sql = compile(expression, index);
      const { type } = expression;
      const bounded = index === Math.max(0, firstLong) ? within : itself;
      // Embedded rows are JSON text.
      if (form === 'typed') return `${sql}${isEmbedding(expression) ? '::jsonb' : ''} as ${identifier(name)}`;
      if (form === 'plain') return `${bounded(dialect.plain(type)!(sql))} as ${identifier(name)}`;
      return `${bounded(dialect.cell(sql, type))} as ${identifier(cellName(index))}`;
    })
    .join(', ');
}

/** Applies the budget to finished rows, since the length of embedded rows is unknown before. */
export function compileBoundedRows(
  sql: string,
  columns: readonly OutputColumn[],
  output: Output,
  { boundedRows }: SqlDialect,
): string {
  if (boundedRows === undefined || !isBounded(output) || !anyEmbedded(columns)) return sql;
  const names = output.form === 'json' ? [ROW] : columns.map((_, index) => cellName(index));
  return boundedRows(sql, 'finished', names.map(identifier), 0, output);
}

/** A query for the source rows of the columns, with a budget for long values if required. */
export function compileBoundedSource(rows: string, selection: Selection): string {
  const { columns, output, scope } = selection;
  const { boundedRows } = scope.dialect;
  if (boundedRows === undefined || !isBounded(output) || anyEmbedded(columns)) return rows;
  return boundedRows(rows, scope.name, sizesOf(selection), columnSizes(columns).minBytes, output);
}

function isBounded({ bounded }: Output): boolean {
  return bounded === 'rows' || bounded === 'row';
}

/** The expressions that determine the length of a row's long values: precomputed columns, fields or translations. */
function sizesOf({ columns, output, scope, computed }: Selection): readonly string[] {
  const { bounded, keys = [] } = output;
  if (bounded === undefined) return [];
  const sqlOf = (value: Expression): string =>
    value.kind === 'translation'
      ? `coalesce(${sqlOf(value.of)}, ${sqlOf(value.otherwise)})`
      : `${identifier(scope.name)}.${identifier(namedField(value)!.name)}`;
  const sizes =
    computed === undefined
      ? columnSizes(columns).longValues.map(sqlOf)
      : columns.flatMap(({ expression }, index) => {
          return longValueOf(expression) === undefined ? [] : computed(expression, index);
        });
  return [...sizes, ...keys.flatMap(({ expression }) => longValueOf(expression) ?? []).map(sqlOf)];
}

function keyName(index: number): string {
  return `key ${index}`;
}
