/** Conditions that find the rows of a load that cannot be stored, in SQL for both engines. */
import type { ApiError } from '../../base/errors.ts';
import {
  allReferences,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Reference,
  uniqueSets,
} from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { columnList, identifier, type SqlDialect } from '../sql/statement.ts';
import type { LoadOptions } from './loader.ts';
import { duplicateKey, missingReference, missingRow, repeatedRow } from './write-checks.ts';

export interface LoadTables {
  readonly collection: Collection;
  /** The tables of the staged rows and of the stored rows. */
  readonly rows: string;
  readonly table: string;
  /** The sets of fields that rows supply, by number. */
  readonly shapes: readonly (readonly Field[])[];
  /** The tables of the rows of a collection: the stored ones, and those that this load adds. */
  readonly tablesOf: (collection: string) => readonly string[];
  /** The elements of an array as a table, in SQL. */
  readonly elements: SqlDialect['elements'];
}

export interface LoadCheck {
  readonly fields: readonly Field[];
  /** Finds the rows to reject, in SQL. */
  readonly condition: string;
  readonly error: (values: readonly Value[]) => ApiError;
  /** Whether a rejected row may invalidate others. */
  readonly isRepeated?: boolean;
}

type Terms = Pick<LoadOptions, 'onConflict'> & { readonly match: readonly Field[] };

/** All checks of a load, in order: the fields that identify rows, other unique fields, references. */
export function loadChecks(tables: LoadTables, terms: Terms): LoadCheck[] {
  const { collection } = tables;
  const { onConflict, match } = terms;
  const isMatched = onConflict === 'overwrite' || onConflict === 'update';
  const sets = uniqueSets(collection);
  const others = onConflict === 'refuse' ? sets : sets.filter((fields) => fields !== match);
  return [
    ...(isMatched ? [repeats(tables, match, hasValues(match))] : []),
    ...(onConflict === 'update' ? [absences(tables, match)] : []),
    ...others.flatMap((fields) => uniqueChecks(tables, fields, terms)),
    ...[...allReferences(collection), ...collection.lists].flatMap((reference) =>
      referenceChecks(tables, reference, terms),
    ),
  ];
}

function uniqueChecks(tables: LoadTables, fields: readonly Field[], { onConflict, match }: Terms): LoadCheck[] {
  const { collection, rows, table } = tables;
  const isKey = fields === collection.key;
  const conditions = [hasValues(fields)];
  const same = [sameValues(fields)];
  if (onConflict === 'keep' || (onConflict === 'overwrite' && isKey)) conditions.push(...isInserted(tables, match));
  else if (onConflict !== 'refuse') {
    // The key of a stored row never changes. Other fields change if they are supplied.
    const shapes = shapesThat(tables.shapes, (given) => fields.every((field) => given.includes(field)));
    if (isKey || shapes === undefined) return [];
    conditions.push(shapes);
    // A stored row that is overwritten as well may release its values.
    same.push(`((${columnList(match, 'there.')}) in (select ${columnList(match)} from ${rows})) is not true`);
  }
  const isCounted = conditions.join(' and ');
  return [
    repeats(tables, fields, isCounted),
    {
      fields,
      condition: `${isCounted} and exists (select 1 from ${table} as there where ${same.join(' and ')})`,
      error: (values) => duplicateKey(collection, fields, values.map(String)),
    },
  ];
}

/** Rows that repeat an earlier row of the load. Null equals nothing. */
function repeats({ rows }: LoadTables, fields: readonly Field[], isCounted: string): LoadCheck {
  const first = `select min(" number") from ${rows} where ${isCounted} group by ${columnList(fields)}`;
  const condition = `${isCounted} and " number" not in (${first})`;
  return { fields, condition, error: (values) => repeatedRow(fields, values) };
}

/** Rows to update that do not exist. */
function absences({ collection, table }: LoadTables, fields: readonly Field[]): LoadCheck {
  const condition = `not exists (select 1 from ${table} as there where ${sameValues(fields)})`;
  return { fields, condition, error: (values) => missingRow(collection, fields, values) };
}

/** Supplied references to rows that neither exist nor are part of the load. */
function referenceChecks(
  tables: LoadTables,
  reference: Reference | Composite,
  { onConflict, match }: Terms,
): LoadCheck[] {
  const { collection } = tables;
  const { to } = reference;
  const fields = fieldsOf(reference);
  const stored = mayBreak(tables, fields, onConflict, match);
  if (stored === undefined) return [];
  const { key } = collection.among.get(to)!;
  const columns = fields.map(({ name }) => `given.${identifier(name)}`);
  const isAbsent = (...values: readonly string[]) => {
    const same = values.map((value, at) => `there.${identifier(key[at]!.name)} = ${value}`).join(' and ');
    const [table, ...added] = tables.tablesOf(to);
    // Staged rows have no index.
    const keys = added.map(
      (rows) => `((${values.join(', ')}) in (select ${columnList(key)} from ${rows})) is not true`,
    );
    return [`not exists (select 1 from ${table} as there where ${same})`, ...keys];
  };
  const absent =
    fields[0]!.type.element === undefined
      ? isAbsent(...columns)
      : [
          `exists (select 1 from ${tables.elements(columns[0]!)} as listed where ${isAbsent('listed.value').join(' and ')})`,
        ];
  return [
    {
      fields,
      condition: [...stored, hasValues(fields), ...absent].join(' and '),
      error: (values) =>
        missingReference(collection, reference, ...fields.map(({ type }, at) => type.read(String(values[at])))),
      isRepeated: to === collection.name,
    },
  ];
}

/** Finds rows that store a reference: inserted ones, and those that supply one of its fields; undefined if none can. */
function mayBreak(
  tables: LoadTables,
  fields: readonly Field[],
  onConflict: LoadOptions['onConflict'],
  match: readonly Field[],
): string[] | undefined {
  if (onConflict === 'refuse') return [];
  const inserted = onConflict === 'update' ? undefined : isInserted(tables, match).join(' and ');
  const supplied =
    onConflict === 'keep'
      ? undefined
      : shapesThat(tables.shapes, (given) => fields.some((field) => given.includes(field)));
  const either = [inserted, supplied].filter((each) => each !== undefined);
  return either.length === 0 ? undefined : [`(${either.join(' or ')})`];
}

/** A row that exists, or occurred before, is not inserted. */
function isInserted({ rows, table }: LoadTables, match: readonly Field[]): string[] {
  const columns = columnList(match);
  return [
    `((${columns}) in (select ${columns} from ${table})) is not true`,
    `(not (${hasValues(match)}) or " number" in (select min(" number") from ${rows} group by ${columns}))`,
  ];
}

/** Finds rows by the fields that they supply; undefined if none match. */
export function shapesThat(
  shapes: LoadTables['shapes'],
  matches: (given: readonly Field[]) => boolean,
): string | undefined {
  const found = [...shapes.keys()].filter((shape) => matches(shapes[shape]!));
  return found.length === 0 ? undefined : `" shape" in (${found.join(', ')})`;
}

/** Compares a row `there` with a staged row `given`. */
export function sameValues(fields: readonly Field[]): string {
  return fields.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`).join(' and ');
}

export function hasValues(fields: readonly Field[]): string {
  return fields.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
}
