/** Conditions that find the rows of a body or a load that break a constraint, in SQL for both engines. */
import type { ApiError } from '../../base/errors.ts';
import { type Collection, type Composite, type Field, fieldsOf, type Reference } from '../../collection/declaration.ts';
import { columnList, identifier, type SqlDialect } from '../sql/statement.ts';
import { duplicateKey, missingReference } from './write-checks.ts';

/** Rows to store, in a table that conditions call `given`. */
export interface InputRows {
  readonly collection: Collection;
  /** Their table, its column with their order, and the table of the stored rows. */
  readonly rows: string;
  readonly number: string;
  readonly table: string;
  /** The tables of the rows of a collection: the stored ones, and those that are added. */
  readonly tablesOf: (collection: string) => readonly string[];
  readonly elements: SqlDialect['elements'];
  /** Finds the rows that write unique fields, or a reference; undefined if none does. */
  readonly writesUnique: (fields: readonly Field[]) => string | undefined;
  readonly writesReference: (fields: readonly Field[]) => string | undefined;
  /** Whether a stored row `there` keeps its values. A row that is changed may release them. */
  readonly isKept: (fields: readonly Field[]) => string;
}

export interface RowCheck {
  readonly fields: readonly Field[];
  /** Finds the rows to reject, in SQL. */
  readonly condition: string;
  /** Takes the text forms of the values. */
  readonly error: (texts: readonly string[]) => ApiError;
  /** Whether a rejected row may invalidate others. */
  readonly isRepeated?: boolean;
}

/** Finds rows with the values of a stored row; `repeated` finds those with the values of an earlier row. */
export function uniqueCheck(
  input: InputRows,
  fields: readonly Field[],
): (RowCheck & { readonly repeated: string }) | undefined {
  const { collection, table } = input;
  const isWritten = input.writesUnique(fields);
  if (isWritten === undefined) return undefined;
  const isCounted = `${isWritten} and ${hasValues(fields)}`;
  const there = `select 1 from ${table} as there where ${sameValues(fields)} and ${input.isKept(fields)}`;
  return {
    fields,
    repeated: repeats(input, fields, isCounted),
    condition: `${isCounted} and exists (${there})`,
    error: (texts) => {
      const printed = fields.map(({ type }, at) => type.print(type.read(texts[at]!)));
      return duplicateKey(collection, fields, printed);
    },
  };
}

/** Finds rows that repeat an earlier one. Null equals nothing. */
export function repeats({ rows, number }: InputRows, fields: readonly Field[], isCounted: string): string {
  return `${isCounted} and ${number} not in (select min(${number}) from ${rows} where ${isCounted} group by ${columnList(fields)})`;
}

/** Finds references to rows that neither exist nor are added. */
export function referenceCheck(input: InputRows, reference: Reference | Composite): RowCheck | undefined {
  const { collection, tablesOf, elements } = input;
  const { to } = reference;
  const fields = fieldsOf(reference);
  const isWritten = input.writesReference(fields);
  if (isWritten === undefined) return undefined;
  const { key } = collection.among.get(to)!;
  const columns = fields.map(({ name }) => `given.${identifier(name)}`);
  const isAbsent = (...values: readonly string[]) => {
    const same = values.map((value, at) => `there.${identifier(key[at]!.name)} = ${value}`).join(' and ');
    const [table, ...added] = tablesOf(to);
    // Input rows have no index.
    const keys = added.map(
      (rows) => ` and ((${values.join(', ')}) in (select ${columnList(key)} from ${rows})) is not true`,
    );
    return `not exists (select 1 from ${table} as there where ${same})${keys.join('')}`;
  };
  const absent =
    fields[0]!.type.element === undefined
      ? isAbsent(...columns)
      : `exists (select 1 from ${elements(columns[0]!)} as listed where ${isAbsent('listed.value')})`;
  return {
    fields,
    condition: `${isWritten} and ${hasValues(fields)} and ${absent}`,
    error: (texts) => missingReference(collection, reference, ...fields.map(({ type }, at) => type.read(texts[at]!))),
    isRepeated: to === collection.name,
  };
}

/** Compares a row `there` with an input row `given`. */
export function sameValues(fields: readonly Field[]): string {
  return fields.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`).join(' and ');
}

export function hasValues(fields: readonly Field[]): string {
  return fields.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
}
