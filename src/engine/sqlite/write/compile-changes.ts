/** Compiles a bulk update: one statement per shape, and the parameters of each change. */
import { mapInSlices, type Task } from '../../../base/cooperative.ts';
import { isKey } from '../../../collection/declaration.ts';
import { andAlso } from '../../../plan/access/permissions.ts';
import { ALWAYS, type Assignment, isAlways, isOperation, type UpdateEachPlan } from '../../../plan/types.ts';
import { assignedSql, boundValue, shapeOf } from '../../sql/assignment.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, columnList, identifier } from '../../sql/statement.ts';
import { sqliteDialect } from '../dialect.ts';
import type { ChangeOfRow, ChangeShape } from './jobs.ts';

/** `returning` returns the changed row, if the answer needs it. */
export function* compileChanges(
  plan: UpdateEachPlan,
  returning: string,
): Task<{ readonly shapes: readonly ChangeShape[]; readonly changes: readonly ChangeOfRow[] }> {
  const places = new Map<string, number>();
  const shapes: ChangeShape[] = [];
  const changes = yield* mapInSlices(plan.changes, ({ key, set }): ChangeOfRow => {
    const name = shapeOf(set);
    const shape = places.get(name) ?? shapes.push(compileShape(plan, set, returning)) - 1;
    places.set(name, shape);
    const values = set.map((each) => {
      const { value, type } = boundValue(each);
      return sqliteDialect.stored(value, type);
    });
    return { shape, params: [...values, ...key.map((value, at) => sqliteDialect.stored(value, plan.by[at]!.type))] };
  });
  return { shapes, changes };
}

function compileShape(plan: UpdateEachPlan, set: readonly Assignment[], returning: string): ChangeShape {
  const { into: collection, by, restriction } = plan;
  const table = identifier(collection.name);
  const met = andAlso(restriction?.met ?? ALWAYS, plan.among ?? ALWAYS);
  const changed = restriction?.changed;
  const { sql, params } = buildStatement(sqliteDialect, (bind) => {
    const assignments = set.map((each) => {
      return `${identifier(each.field.name)} = ${assignedSql(collection, each, bind(null), sqliteDialect)}`;
    });
    const tests = by.map(({ name }) => `${table}.${identifier(name)} = ${bind(null)}`);
    const scope = scopeOf(sqliteDialect, bind, collection.name);
    if (!isAlways(met)) tests.push(`(${compilePredicate(met, scope)})`);
    const rule = changed === undefined ? '' : `, (${compilePredicate(changed, scope)}) is true`;
    const told = changed === undefined ? returning : `${returning || ' returning 1'}${rule}`;
    return `update ${table} set ${assignments.join(', ')} where ${tests.join(' and ')}${told}`;
  });
  const same = by.map(({ name }) => `${identifier(name)} = ?`).join(' and ');
  const setsKey = set.some(({ field }) => isKey(collection, field));
  return {
    sql,
    params: params.slice(set.length + by.length),
    names: set.map((each) => (isOperation(each) ? undefined : each.field.name)),
    by: by.map(({ name }) => name),
    ...(setsKey ? { met: `select ${columnList(collection.key)} from ${table} where ${same}` } : {}),
    isRuled: changed !== undefined,
  };
}
