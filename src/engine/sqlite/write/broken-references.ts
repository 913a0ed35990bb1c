/**
 * Finds the reference that a write would break. SQLite does not name it, so it is looked up by the values of the step
 * through indexes.
 */

import { ApiError } from '../../../base/errors.ts';
import {
  allReferences,
  type Catalogue,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Reference,
  referencesTo,
} from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { missingReference, stillReferenced, withRowIndex } from '../../shared/write-checks.ts';
import { columnList, identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { spendRow } from '../connection/deadline.ts';
import { sqliteDialect } from '../dialect.ts';
import { valueIn } from '../functions/stored-values.ts';
import type { Step } from './jobs.ts';

/** The step was rolled back, so the rows are as before. `failed` is the row that failed, if it is known. */
export function brokenReference(connection: Connection, catalogue: Catalogue, step: Step, failed?: number): ApiError {
  const collection = catalogue.collections.get(step.collection)!;
  const isList = step.kind === 'change-each' || (step.kind !== 'change' && step.rows.length > 1);
  let index = 0;
  for (const values of valuesOf(collection, step)) {
    const isTested = failed === undefined || failed === index;
    const missing = isTested ? missingIn(connection, catalogue, collection, values) : undefined;
    if (missing !== undefined) return step.kind === 'change' ? missing : withRowIndex(missing, index, isList);
    index++;
  }
  const broken =
    referrer(connection, catalogue, collection, step) ??
    partialReference(collection, step) ??
    unknownReference(collection);
  return failed === undefined ? broken : withRowIndex(broken, failed, isList);
}

/** The values that a step supplies, row by row. */
function* valuesOf({ fields }: Collection, step: Step): Generator<(name: string) => Value | undefined> {
  if (step.kind === 'change') yield (name) => step.set[name];
  else if (step.kind === 'change-each') {
    for (const { shape, params } of step.changes) {
      const { names } = step.shapes[shape]!;
      yield (name) => (names.includes(name) ? params[names.indexOf(name)] : undefined);
    }
  } else for (const row of step.rows) yield (name) => row[fields.findIndex((field) => field.name === name)];
}

function missingIn(
  connection: Connection,
  { collections }: Catalogue,
  collection: Collection,
  given: (name: string) => Value | undefined,
): ApiError | undefined {
  for (const reference of allReferences(collection)) {
    const values = fieldsOf(reference).map(({ name }) => given(name) ?? null);
    if (values.includes(null)) continue;
    if (!exists(connection, reference.to, collections.get(reference.to)!.key, values)) {
      return missingReference(collection, reference, ...valuesIn(fieldsOf(reference), values));
    }
  }
  return undefined;
}

/** A reference of which a change sets some fields. The values of the others are in the rows. */
function partialReference(collection: Collection, step: Step): ApiError | undefined {
  for (const given of valuesOf(collection, step)) {
    const isSet = ({ name }: Field) => (given(name) ?? null) !== null;
    const reference = collection.composites.find(({ fields }) => fields.some(isSet));
    if (reference !== undefined) return missingReference(collection, reference);
  }
  return undefined;
}

/** A row that prevents the deletes or key changes of the step. */
function referrer(
  connection: Connection,
  catalogue: Catalogue,
  collection: Collection,
  step: Step,
): ApiError | undefined {
  for (const { met, isRemoval } of keyChanges(step)) {
    const keys = connection.values(met) as Value[][];
    const found = isRemoval
      ? new Removal(connection, catalogue).keeper(collection, keys)
      : keeperAmong(connection, collection, keys, referencesTo(catalogue, collection));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds the keys that a step removes or changes. */
function* keyChanges(step: Step): Generator<{ readonly met: Statement; readonly isRemoval: boolean }> {
  if (step.kind === 'change' && step.met !== undefined) {
    yield { met: step.met, isRemoval: Object.keys(step.set).length === 0 };
  } else if (step.kind === 'change-each') {
    for (const { shape, params } of step.changes) {
      const { met, names } = step.shapes[shape]!;
      if (met !== undefined) yield { met: { sql: met, params: params.slice(names.length) }, isRemoval: false };
    }
  }
}

/** Deleted rows, and those that cascade with them, up to one that prevents it. */
class Removal {
  private readonly seen = new Map<string, Set<string>>();

  constructor(
    private readonly connection: Connection,
    private readonly catalogue: Catalogue,
  ) {}

  keeper(collection: Collection, given: readonly Value[][]): ApiError | undefined {
    const keys = this.unseen(collection, given);
    if (keys.length === 0) return undefined;
    const references = referencesTo(this.catalogue, collection);
    const keeping = references.filter(({ onDelete }) => onDelete === 'restrict');
    const found = keeperAmong(this.connection, collection, keys, keeping);
    if (found !== undefined) return found;
    for (const reference of references) {
      const { from, onDelete } = reference;
      if (onDelete !== 'cascade' || referencesTo(this.catalogue, from).length === 0) continue;
      const sql = `select ${columnList(from.key)} from ${identifier(from.name)} where ${areEqual(fieldsOf(reference))}`;
      for (const key of keys) {
        const going = this.connection.values({ sql, params: key }) as Value[][];
        const further = this.keeper(from, going);
        if (further !== undefined) return further;
      }
    }
    return undefined;
  }

  private unseen({ name }: Collection, keys: readonly Value[][]): readonly Value[][] {
    const seen = this.seen.get(name) ?? new Set();
    this.seen.set(name, seen);
    return keys.filter((key) => {
      const text = key.map(String).join('\0');
      return !seen.has(text) && seen.add(text);
    });
  }
}

function keeperAmong(
  connection: Connection,
  collection: Collection,
  keys: readonly Value[][],
  references: ReturnType<typeof referencesTo>,
): ApiError | undefined {
  for (const key of keys) {
    for (const reference of references) {
      if (exists(connection, reference.from.name, fieldsOf(reference), key)) {
        return stillReferenced(collection, reference, ...valuesIn(collection.key, key));
      }
    }
  }
  return undefined;
}

/** A reference of a stored row, with its values. */
export interface StoredReference {
  readonly reference: Reference | Composite;
  readonly values: readonly Value[];
  /** The index of the row in the body. */
  readonly index: number;
}

/** Rejects the first reference to a row that does not exist, while SQLite defers the check. */
export function checkReferences(
  connection: Connection,
  collection: Collection,
  references: readonly StoredReference[],
): void {
  for (const { reference, values, index } of references) {
    spendRow();
    if (exists(connection, reference.to, collection.among.get(reference.to)!.key, values)) continue;
    const missing = missingReference(collection, reference, ...valuesIn(fieldsOf(reference), values));
    throw withRowIndex(missing, index, true);
  }
}

/** A row with a dangling reference, in a transaction that has not checked it yet. */
export function findBroken(connection: Connection, collection: Collection): ApiError | undefined {
  if (allReferences(collection).length === 0) return undefined;
  const table = identifier(collection.name);
  const sql = `select cast(broken.rowid as text), (select json_group_array("from") from pragma_foreign_key_list(?1) as list
      where list.id = broken.fkid) from pragma_foreign_key_check(?1) as broken limit 1`;
  const [found] = connection.values({ sql, params: [collection.name] }) as [string, string][];
  const names = found && (JSON.parse(found[1]) as string[]);
  const isFound = (fields: readonly Field[]) =>
    fields.length === names?.length && fields.every(({ name }) => names.includes(name));
  const reference = allReferences(collection).find((each) => isFound(fieldsOf(each)));
  if (found === undefined || reference === undefined) return undefined;
  const columns = fieldsOf(reference).map(({ name, type }) => sqliteDialect.text(identifier(name), type));
  const [row] = connection.values({
    sql: `select ${columns.join(', ')} from ${table} where rowid = cast(? as integer)`,
    params: [found[0]],
  });
  return missingReference(collection, reference, ...(row as Value[]));
}

function exists(connection: Connection, table: string, fields: readonly Field[], values: readonly Value[]): boolean {
  const sql = `select 1 from ${identifier(table)} where ${areEqual(fields)} limit 1`;
  return connection.values({ sql, params: values }).length > 0;
}

function areEqual(fields: readonly Field[]): string {
  return fields.map(({ name }) => `${identifier(name)} = ?`).join(' and ');
}

/** The values behind stored ones. */
function valuesIn(fields: readonly Field[], stored: readonly Value[]): Value[] {
  return fields.map(({ type }, at) => valueIn(type, stored[at]!));
}

function unknownReference({ name }: Collection): ApiError {
  return new ApiError('23503', `a write to "${name}" violates a foreign key constraint`);
}
