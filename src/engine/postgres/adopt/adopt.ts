/**
 * Adopted tables, served as they are: they must match the declaration, and nothing of them is changed. This file
 * describes how they differ from our own tables: other collations, read-only types, their own defaults.
 */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Problem } from '../../migration/risks.ts';
import { quoteText } from '../../sql/statement.ts';
import { typeOfAdopted } from '../schema/column-type.ts';
import type { FoundColumn, FoundTable } from '../schema/inspect.ts';

/** How the fields of adopted tables are read and filled; our own fields are not included. */
export interface Adopted {
  readonly collections: ReadonlySet<Collection>;
  readonly fields: ReadonlySet<Field>;
  /** The type that a column is read as, if it is not one of ours. */
  readonly readAs: ReadonlyMap<Field, string>;
  /** The column's type, if it is read as text but compared and sorted as a number. */
  readonly comparedAs: ReadonlyMap<Field, string>;
  /** The database's default expression, if the declaration leaves it to the database. */
  readonly fills: ReadonlyMap<Field, string>;
  /** Collections whose keys need `overriding system value` to be set. */
  readonly overriding: ReadonlySet<Collection>;
}

export const NOTHING_ADOPTED: Adopted = {
  collections: new Set(),
  fields: new Set(),
  readAs: new Map(),
  comparedAs: new Map(),
  fills: new Map(),
  overriding: new Set(),
};

const TEXT = builtIn('text');
/** Types whose values differ in order and equality from their texts. */
const QUANTITY = /^(numeric|money|interval)(?=$|[ (])(?!.*\[\]$)/;

export function adopt(pairs: readonly { collection: Collection; table: FoundTable }[]): Adopted {
  if (pairs.length === 0) return NOTHING_ADOPTED;
  const columns = pairs.flatMap(({ collection, table }) =>
    collection.fields.flatMap((field) => {
      const column = columnOf(table, field);
      return column === undefined ? [] : [{ field, column }];
    }),
  );
  return {
    collections: new Set(pairs.map(({ collection }) => collection)),
    fields: new Set(columns.map(({ field }) => field)),
    readAs: new Map(
      columns.flatMap(({ field, column }): [Field, string][] => {
        const type = typeOfAdopted(column.type);
        const readAs = type?.type === field.type ? type.readAs : TEXT.postgres.name;
        return readAs === undefined ? [] : [[field, readAs]];
      }),
    ),
    comparedAs: new Map(
      columns.flatMap(({ field, column }): [Field, string][] => {
        const [type] = QUANTITY.exec(column.type) ?? [];
        return field.type === TEXT && type !== undefined ? [[field, type]] : [];
      }),
    ),
    fills: new Map(
      columns.flatMap(({ field, column }): [Field, string][] =>
        field.filled ? fillOf(column).map((fill) => [field, fill]) : [],
      ),
    ),
    overriding: new Set(
      pairs
        .filter(({ table }) => table.columns.some(({ identity }) => identity === 'always'))
        .map(({ collection }) => collection),
    ),
  };
}

/** Why a table cannot be served as the declared collection; empty if it can. */
export function adoptionProblems(collection: Collection, table: FoundTable): Problem[] {
  const problem = (words: string) => ({ words: `${collection.name} was made by something else, and ${words}` });
  if (!table.isTable) return [problem('is not a table')];
  const key = collection.key.map(({ name }) => name);
  const isUnique = table.indexes.some(
    ({ isUnique, isWhole, columns }) =>
      isUnique && isWhole && columns?.length === key.length && columns.every((name) => key.includes(name)),
  );
  return [
    ...collection.fields.flatMap((field) => columnMisfits(field, table).map(problem)),
    ...(isUnique ? [] : [problem(`${key.join(', ')} is not unique by itself`)]),
  ];
}

function columnMisfits(field: Field, table: FoundTable): string[] {
  const column = columnOf(table, field);
  const { name, type, readOnly, required, filled } = field;
  if (column === undefined) return [`${name} is missing`];
  // Every type has a text form.
  const isReadAsText = readOnly && type === TEXT;
  const found = typeOfAdopted(column.type)?.type;
  return [
    ...(found === type || isReadAsText ? [] : [`${name} is ${column.type}, not ${type.name}`]),
    ...(required && !column.required ? [`${name} may be null there`] : []),
    ...(column.isComputed && !readOnly ? [`${name} is computed there: declare it readOnly`] : []),
    ...(filled && !table.hasInsertTrigger && fillOf(column).length === 0
      ? [`${name} has no default there to fill it in`]
      : []),
  ];
}

/** The expression that the database would store by default, if any. */
function fillOf({ default: value, sequence }: FoundColumn): string[] {
  if (value !== null) return [value];
  return sequence === null ? [] : [`nextval(${quoteText(sequence)})`];
}

function columnOf({ columns }: FoundTable, { name }: Field): FoundColumn | undefined {
  return columns.find((column) => column.name === name);
}
