/** Compares many rows of a body with stored rows, one statement per slice, so that other requests run in between. */
import { ROWS_PER_SLICE } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Row, Value } from '../../collection/value.ts';
import { fieldsOfPredicate } from '../../plan/access/named-fields.ts';
import { ALWAYS, type Predicate } from '../../plan/types.ts';
import { compilePredicate } from '../sql/predicate.ts';
import { scopeOf } from '../sql/read.ts';
import {
  type Bind,
  buildStatement,
  INPUT_ROWS,
  identifier,
  type SqlDialect,
  type Statement,
} from '../sql/statement.ts';

export type RowValues = readonly (Value | undefined)[];

/** The statements that differ between engines. */
export interface RowSource {
  readonly dialect: SqlDialect;
  /** Rows to compare with a collection, as a table with the name INPUT_ROWS. */
  input(collection: Collection, fields: readonly Field[], rows: readonly RowValues[], bind: Bind): string;
  query(statement: Statement): Promise<readonly Row[]>;
  /** The time limit of all statements together. */
  readonly limitMs: number;
}

/** Some values of a row of the body. */
export interface InputRow {
  readonly index: number;
  readonly values: RowValues;
}

export interface StoredMatch {
  /** Text forms by field name. */
  readonly row: Row;
  /** Whether the stored row satisfies the condition. */
  readonly isMet: boolean;
}

const ROW_INDEX = ' row index';
const IS_MET = ' is met';

export class RowLookup {
  private readonly endsAt: number;

  constructor(private readonly source: RowSource) {
    this.endsAt = performance.now() + source.limitMs;
  }

  /** The stored rows with the given values, by the index of the input row. The fields are a key, or unique. */
  async matches(
    collection: Collection,
    fields: readonly Field[],
    rows: readonly InputRow[],
    shown: readonly Field[],
    met: Predicate = ALWAYS,
  ): Promise<ReadonlyMap<number, StoredMatch>> {
    const { dialect } = this.source;
    const table = identifier(collection.name);
    const texts = shown.map(({ name, type }) => {
      return `${dialect.text(`${table}.${identifier(name)}`, type)} as ${identifier(name)}`;
    });
    const same = fields.map(({ name }) => `${table}.${identifier(name)} = ${INPUT_ROWS}.${identifier(name)}`);
    const complete = rows.filter(({ values }) => !values.includes(null));
    const found = await this.ask(collection, fields, complete, (input, bind) => {
      const test = `(${compilePredicate(met, scopeOf(dialect, bind, collection.name))}) is true`;
      const columns = [`${INPUT_ROWS}.${identifier(ROW_INDEX)}`, `${test} as ${identifier(IS_MET)}`, ...texts];
      return `select ${columns.join(', ')} from ${input} join ${table} on ${same.join(' and ')}`;
    });
    return new Map(found.map((row) => [Number(row[ROW_INDEX]), { row, isMet: Boolean(row[IS_MET]) }]));
  }

  /** The indexes of rows that violate a rule, in order. Rows with unknown values are not tested. */
  async violations(collection: Collection, rows: readonly InputRow[], rule: Predicate): Promise<readonly number[]> {
    const { fields, name } = collection;
    const tested = [...fieldsOfPredicate(collection, rule)].map((field) => fields.indexOf(field));
    const known = rows.filter(({ values }) => tested.every((at) => values[at] !== undefined));
    const found = await this.ask(collection, fields, known, (input, bind) => {
      const test = compilePredicate(rule, scopeOf(this.source.dialect, bind, name));
      const table = `(select * from ${input}) as ${identifier(name)}`;
      return `select ${identifier(ROW_INDEX)} from ${table} where (${test}) is not true order by 1`;
    });
    return found.map((row) => Number(row[ROW_INDEX]));
  }

  private async ask(
    collection: Collection,
    fields: readonly Field[],
    rows: readonly InputRow[],
    select: (input: string, bind: Bind) => string,
  ): Promise<readonly Row[]> {
    const { dialect, input, query } = this.source;
    const columns = [{ ...fields[0]!, name: ROW_INDEX, type: builtIn('int4') }, ...fields];
    const found: Row[] = [];
    for (let from = 0; from < rows.length; from += ROWS_PER_SLICE) {
      if (performance.now() > this.endsAt) throw tooSlow();
      const slice = rows.slice(from, from + ROWS_PER_SLICE).map(({ index, values }) => [index, ...values]);
      const statement = buildStatement(dialect, (bind) => select(input(collection, columns, slice, bind), bind));
      found.push(...(await query(statement)));
    }
    return found;
  }
}

function tooSlow(): ApiError {
  return new ApiError('57014', 'canceling statement due to statement timeout', {
    details: 'The rows were not checked completely; nothing was changed.',
    hint: 'Send fewer rows at once, or raise --query-timeout.',
  });
}
