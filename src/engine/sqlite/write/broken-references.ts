/**
 * Finds the reference that a write would break. SQLite does not name it, so it is looked up by the values of the write
 * through indexes.
 */
import { mapInSlices } from '../../../base/cooperative.ts';
import { ApiError } from '../../../base/errors.ts';
import {
  type Catalogue,
  type Collection,
  type Field,
  fieldsOf,
  isKey,
  referencesTo,
} from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { type Assignment, assignedValue, type WritePlan } from '../../../plan/write-plan.ts';
import type { BodyPlan, RowSource } from '../../shared/body-tables.ts';
import { firstProblem } from '../../shared/row-problems.ts';
import { missingReference, stillReferenced, withRowIndex } from '../../shared/write-checks.ts';
import { buildStatement, columnList, INPUT_ROWS, identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { guardedDialect, jsonOf } from '../dialect.ts';
import { valueIn } from '../functions/stored-values.ts';
import { storedValues } from '../schema/schema.ts';
import { givenBy, storedKey } from './change-rows.ts';
import { compileTarget } from './returned-rows.ts';

/** The write was rolled back, so the rows are as before. `failed` is the row that failed, if it is known. */
export function brokenReference(
  connection: Connection,
  catalogue: Catalogue,
  plan: WritePlan,
  failed?: number,
): ApiError {
  const { into } = plan;
  const missing = missingIn(connection, plan, failed);
  if (missing !== undefined) return missing;
  const broken = referrer(connection, catalogue, plan) ?? partialReference(plan) ?? unknownReference(into);
  const isList = plan.kind === 'update-each' || (plan.kind === 'insert' && plan.rows.length > 1);
  return failed === undefined ? broken : withRowIndex(broken, failed, isList);
}

/** A reference to no row, in a row of the body or in the values that a change by a filter sets. */
function missingIn(connection: Connection, plan: WritePlan, failed: number | undefined): ApiError | undefined {
  if (plan.kind === 'delete') return undefined;
  if (plan.kind !== 'update') return firstBadRow(connection, plan, 'missing', failed);
  const { into, set } = plan;
  const values = new Map(set.map((each) => [each.field, assignedValue(each)]));
  const row = into.fields.map((field) => values.get(field));
  const asRow: BodyPlan = { ...TERMS, kind: 'insert', into, rows: [row], given: plan.given, conflict: 'refuse' };
  return firstBadRow(connection, asRow, 'missing')?.with({ index: undefined });
}

const TERMS = { singular: false, mustExist: false };

/** A reference of which a change by a filter sets some fields. The values of the others are in the rows. */
function partialReference(plan: WritePlan): ApiError | undefined {
  const given = givenBy(plan.kind === 'update' ? plan.set : []);
  const isSet = ({ name }: Field) => (given(name) ?? null) !== null;
  const reference = plan.into.composites.find(({ fields }) => fields.some(isSet));
  return reference && missingReference(plan.into, reference);
}

function referrer(connection: Connection, catalogue: Catalogue, plan: WritePlan): ApiError | undefined {
  const { into } = plan;
  for (const keys of changedKeys(connection, plan)) {
    const found =
      plan.kind === 'delete'
        ? new Removal(connection, catalogue).keeper(into, keys)
        : keeperAmong(connection, into, keys, referencesTo(catalogue, into));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds the keys that a write removes or changes. */
function* changedKeys(connection: Connection, plan: WritePlan): Generator<Value[][]> {
  const { into } = plan;
  const setsKey = (set: readonly Assignment[]) => set.some(({ field }) => isKey(into, field));
  const select = `select ${columnList(into.key)} from ${identifier(into.name)}`;
  if (plan.kind === 'delete' || (plan.kind === 'update' && setsKey(plan.set))) {
    const statement = buildStatement(
      guardedDialect,
      (bind) => `${select}${compileTarget(plan, bind)} order by ${columnList(into.key)}`,
    );
    yield connection.values(statement) as Value[][];
  } else if (plan.kind === 'update-each') {
    const sql = `${select} where ${areEqual(plan.by)}`;
    for (const { key, set } of plan.changes) {
      if (setsKey(set)) yield connection.values({ sql, params: storedKey(plan.by, key) }) as Value[][];
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

export const bodyRows: RowSource = {
  dialect: guardedDialect,
  *encode(columns, rows) {
    const lists = yield* mapInSlices(rows, (row) => `[${storedValues(columns, row).map(jsonOf).join(',')}]`);
    return `[${lists.join(',')}]`;
  },
  table: (_, columns, json) => {
    const cells = columns.map(({ name }, at) => `json_extract(value, '$[${at}]') as ${identifier(name)}`);
    return `(select ${cells.join(', ')} from json_each(${json})) as ${INPUT_ROWS}`;
  },
};

/** The error of the first row of a body with this problem, or of the row with the index. */
export function firstBadRow(
  connection: Connection,
  plan: BodyPlan,
  kind: 'duplicates' | 'missing',
  index?: number,
): ApiError | undefined {
  return firstProblem(plan, bodyRows, (statement) => connection.rows(statement), kind, index);
}
