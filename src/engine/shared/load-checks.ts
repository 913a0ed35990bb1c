/** The checks of a load, in order: the fields that identify rows, other unique fields, references. */
import { allReferences, type Field, uniqueSets } from '../../collection/declaration.ts';
import { columnList } from '../sql/statement.ts';
import {
  hasValues,
  type InputRows,
  type RowCheck,
  referenceCheck,
  repeats,
  sameValues,
  uniqueCheck,
} from './constraint-checks.ts';
import type { LoadOptions } from './loader.ts';
import { missingRow, repeatedRow } from './write-checks.ts';

export interface LoadTables extends Pick<InputRows, 'collection' | 'rows' | 'table' | 'tablesOf' | 'elements'> {
  /** The sets of fields that rows supply, by number. */
  readonly shapes: readonly (readonly Field[])[];
}

/** `match` are the fields that identify a stored row. */
export function loadChecks(
  tables: LoadTables,
  onConflict: LoadOptions['onConflict'],
  match: readonly Field[],
): readonly RowCheck[] {
  const { collection, shapes, rows, table } = tables;
  const isMatched = onConflict === 'overwrite' || onConflict === 'update';
  const columns = columnList(match);
  const isKey = (fields: readonly Field[]) => columnList(fields) === columnList(collection.key);
  // A row that exists, or occurred before, is not inserted.
  const isInserted = `((${columns}) in (select ${columns} from ${table})) is not true
    and (not (${hasValues(match)}) or " number" in (select min(" number") from ${rows} group by ${columns}))`;
  const input: InputRows = {
    ...tables,
    number: '" number"',
    writesUnique: (fields) => {
      if (onConflict === 'refuse') return ALL;
      if (onConflict === 'keep' || (onConflict === 'overwrite' && isKey(fields))) return isInserted;
      // The key of a stored row never changes. Other fields change if they are supplied.
      return isKey(fields) ? undefined : shapesThat(shapes, (given) => fields.every((field) => given.includes(field)));
    },
    writesReference: (fields) => {
      if (onConflict === 'refuse') return ALL;
      const supplied = isMatched && shapesThat(shapes, (given) => fields.some((field) => given.includes(field)));
      const either = [...(onConflict === 'update' ? [] : [isInserted]), ...(supplied ? [supplied] : [])];
      return either.length === 0 ? undefined : `(${either.join(' or ')})`;
    },
    // A stored row that is overwritten as well may release its values.
    isKept: (fields) => {
      const isOverwritten = `(${columnList(match, 'there.')}) in (select ${columns} from ${rows})`;
      return isMatched && !isKey(fields) ? `(${isOverwritten}) is not true` : ALL;
    },
  };
  const repeated = (fields: readonly Field[], condition: string): RowCheck => {
    return { fields, condition, error: (texts) => repeatedRow(fields, texts) };
  };
  const sets = uniqueSets(collection);
  const others = onConflict === 'refuse' ? sets : sets.filter((fields) => columnList(fields) !== columns);
  const references = [...allReferences(collection), ...collection.lists];
  return [
    ...(isMatched ? [repeated(match, repeats(input, match, hasValues(match)))] : []),
    ...(onConflict === 'update' ? [absences(tables, match)] : []),
    ...others.flatMap((fields) => {
      const check = uniqueCheck(input, fields);
      return check === undefined ? [] : [repeated(fields, check.repeated), check];
    }),
    ...references.flatMap((reference) => referenceCheck(input, reference) ?? []),
  ];
}

const ALL = '1=1';

/** Rows to update that do not exist. */
function absences({ collection, table }: LoadTables, fields: readonly Field[]): RowCheck {
  const condition = `not exists (select 1 from ${table} as there where ${sameValues(fields)})`;
  return { fields, condition, error: (texts) => missingRow(collection, fields, texts) };
}

/** Finds rows by the fields that they supply; undefined if none match. */
export function shapesThat(
  shapes: LoadTables['shapes'],
  matches: (given: readonly Field[]) => boolean,
): string | undefined {
  const found = [...shapes.keys()].filter((shape) => matches(shapes[shape]!));
  return found.length === 0 ? undefined : `" shape" in (${found.join(', ')})`;
}
