/** Updates or deletes the rows of a write, by a filter or one by one. */
import { ApiError } from '../../../base/errors.ts';
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { andAlso } from '../../../plan/access/permissions.ts';
import { ALWAYS, isAlways } from '../../../plan/types.ts';
import {
  type Assignment,
  assignedValue,
  type DeletePlan,
  type UpdateEachPlan,
  type UpdatePlan,
  type WritePlan,
} from '../../../plan/write-plan.ts';
import { checkMissing, withRowIndex } from '../../shared/write-checks.ts';
import { assignedSql, boundValue, shapeOf } from '../../sql/assignment.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { GUARD, spendRow } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { BrokenReference, type GivenValue, isReferenceError, translateError } from '../errors.ts';
import { advanceKey } from './assigned-keys.ts';
import { compileTarget, returningRow, type Written } from './returned-rows.ts';

/** The stored form of the values that assignments set. */
export function givenBy(set: readonly Assignment[]): GivenValue {
  return (name) => {
    const assignment = set.find(({ field }) => field.name === name);
    const value = assignment && assignedValue(assignment);
    return value === undefined ? undefined : sqliteDialect.stored(value, assignment!.field.type);
  };
}

export function updateRows(connection: Connection, plan: UpdatePlan): Written {
  const { into, set } = plan;
  // A PATCH without fields changes and matches nothing, as in PostgREST.
  if (set.length === 0) return { affected: 0, inserted: 0, changed: [] };
  const given = givenBy(set);
  try {
    const written = change(connection, plan, compileUpdate(plan));
    const newKey = into.assigned && given(into.assigned.name);
    // SQLite tracks only inserted keys, so a key set by an update is reserved here.
    if (written.affected > 0 && newKey !== undefined) advanceKey(connection, into, newKey);
    return { inserted: 0, ...written };
  } catch (error) {
    throw translateError(error, { collection: into, given });
  }
}

function compileUpdate(plan: UpdatePlan): Statement {
  const { into, set, restriction } = plan;
  return buildStatement(guardedDialect, (bind) => {
    // SQLite finds all rows before it updates, so the first new value checks the deadline per row.
    const assignments = set.map((assignment, index) => {
      const { value, type } = boundValue(assignment);
      const assigned = assignedSql(into, assignment, bind(value, type), sqliteDialect);
      return `${identifier(assignment.field.name)} = ${index === 0 ? `iif(${GUARD}, ${assigned}, null)` : assigned}`;
    });
    const target = compileTarget(plan, bind);
    const rule = restriction?.changed && compilePredicate(restriction.changed, scopeOf(sqliteDialect, bind, into.name));
    return `update ${identifier(into.name)} set ${assignments.join(', ')}${target}${countedRow(plan, rule)}`;
  });
}

export function deleteRows(connection: Connection, plan: DeletePlan): Written {
  const statement = buildStatement(guardedDialect, (bind) => {
    const target = compileTarget(plan, bind);
    // SQLite finds all rows before it deletes, so `returning` checks the deadline per row.
    return `delete from ${identifier(plan.into.name)}${target}${countedRow(plan) || ` returning ${GUARD}`}`;
  });
  return { inserted: 0, ...change(connection, plan, statement) };
}

/** Returns the changed row if the answer needs it, and whether the role may leave it like this. */
function countedRow(plan: WritePlan, rule?: string): string {
  const returning = returningRow(plan, 'returned');
  return rule === undefined ? returning : `${returning || ' returning 1'}, (${rule}) is true`;
}

function change(
  connection: Connection,
  { into, returning, restriction }: WritePlan,
  statement: Statement,
): Pick<Written, 'affected' | 'changed'> {
  const isRuled = restriction?.changed !== undefined;
  if (returning === undefined && !isRuled) return { affected: connection.run(statement), changed: [] };
  const changed = rulesFirst(connection, isRuled, () => {
    const rows = connection.values(statement);
    if (isRuled && rows.some(([, isAllowed]) => Number(isAllowed) !== 1)) throw rowDenied(into.name);
    return rows;
  });
  return { affected: changed.length, changed: returning === undefined ? [] : changed.map(([row]) => row as string) };
}

/** A row that breaks a rule of the role gets the error of the rule, whether the rows that it refers to exist or not. */
export function rulesFirst<T>(connection: Connection, isRuled: boolean, store: () => T): T {
  try {
    return store();
  } catch (error) {
    if (!isRuled || !isReferenceError(error)) throw error;
    connection.execute('savepoint rules_first; pragma defer_foreign_keys = on');
    try {
      store();
    } finally {
      connection.execute('rollback to rules_first; release rules_first; pragma defer_foreign_keys = off');
    }
    throw error;
  }
}

/** The codes of errors in computing a value. */
const VALUE_ERROR = /^(22|0A)/;

export function updateEach(connection: Connection, plan: UpdateEachPlan): Written {
  const { into, by } = plan;
  const { assigned } = into;
  const missing: { readonly key: readonly Value[]; readonly index: number }[] = [];
  /** By their shapes: changes that set the same fields share a statement. */
  const statements = new Map<string, Statement>();
  const changed = plan.changes.flatMap(({ key, set }, index) => {
    spendRow();
    const given = givenBy(set);
    try {
      const shape = shapeOf(set);
      const compiled = statements.get(shape) ?? compileChange(plan, set);
      statements.set(shape, compiled);
      const bound = set.map((each) => {
        const { value, type } = boundValue(each);
        return sqliteDialect.stored(value, type);
      });
      const params = [...bound, ...storedKey(by, key), ...compiled.params];
      const written = change(connection, plan, { sql: compiled.sql, params });
      const newKey = assigned && given(assigned.name);
      if (written.affected === 0) missing.push({ key, index });
      else if (newKey !== undefined && !by.includes(assigned!)) advanceKey(connection, into, newKey);
      return written.changed;
    } catch (error) {
      if (isReferenceError(error)) throw new BrokenReference(index);
      if (error instanceof ApiError && !VALUE_ERROR.test(error.code)) throw error;
      throw withRowIndex(translateError(error, { collection: into, given }), index, true);
    }
  });
  const counted = checkMissing(plan, missing);
  return { affected: plan.changes.length - missing.length, inserted: 0, changed, ...counted };
}

export function storedKey(by: readonly Field[], key: readonly Value[]): Value[] {
  return key.map((value, at) => sqliteDialect.stored(value, by[at]!.type));
}

/** Its parameters follow the values of the change and its key. */
function compileChange(plan: UpdateEachPlan, set: readonly Assignment[]): Statement {
  const { into, by, restriction, among = ALWAYS } = plan;
  const table = identifier(into.name);
  const met = andAlso(restriction?.met ?? ALWAYS, among);
  const { sql, params } = buildStatement(sqliteDialect, (bind) => {
    const assignments = set.map((each) => {
      return `${identifier(each.field.name)} = ${assignedSql(into, each, bind(null), sqliteDialect)}`;
    });
    const tests = by.map(({ name }) => `${table}.${identifier(name)} = ${bind(null)}`);
    const scope = scopeOf(sqliteDialect, bind, into.name);
    if (!isAlways(met)) tests.push(`(${compilePredicate(met, scope)})`);
    const rule = restriction?.changed && compilePredicate(restriction.changed, scope);
    return `update ${table} set ${assignments.join(', ')} where ${tests.join(' and ')}${countedRow(plan, rule)}`;
  });
  return { sql, params: params.slice(set.length + by.length) };
}
