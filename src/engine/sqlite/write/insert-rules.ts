/** The rules of a role in SQL: which rows an insert may create and change. */
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import { type Collection, writtenFields } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { ALWAYS, isAlways, type Predicate } from '../../../plan/types.ts';
import type { Restriction, WritePlan } from '../../../plan/write-plan.ts';
import type { LateRules } from '../../shared/plan-keys.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { changedRows } from './returned-rows.ts';

/**
 * The columns after the first of a returned row say whether the role may store a new row, and whether it may leave an
 * existing row like this. An existing row that may not be changed returns nothing.
 */
export interface Allowed {
  readonly created: string;
  readonly changed: string;
  readonly met: string | undefined;
  /** Parameters after those of the row. */
  readonly params: readonly Value[];
}

export function compileAllowed(collection: Collection, { met, created, changed }: Restriction): Allowed {
  const { name } = collection;
  const fields = writtenFields(collection);
  let compiled: Omit<Allowed, 'params'> | undefined;
  const { params } = buildStatement(sqliteDialect, (bind) => {
    // The values of the row come first.
    for (const _ of fields) bind(null);
    const scope = scopeOf(sqliteDialect, bind, name);
    const sql = (predicate: Predicate = ALWAYS) => `(${compilePredicate(predicate, scope)}) is true`;
    compiled = { met: met && sql(met), created: sql(created), changed: sql(changed) };
    return '';
  });
  return { ...compiled!, params: params.slice(fields.length) };
}

/** Tests written rows after all of them are stored. `areNew` is absent if none is. */
export function checkLateRules(
  connection: Connection,
  { kind, into }: WritePlan,
  { created = ALWAYS, changed = ALWAYS }: LateRules,
  rows: readonly string[],
  areNew: readonly boolean[] = [],
): void {
  for (const [rule, isNew] of [
    [created, true],
    [changed, false],
  ] as const) {
    const tested = rows.filter((_, at) => (areNew[at] ?? kind === 'insert') === isNew);
    if (tested.length === 0 || isAlways(rule)) continue;
    const statement = buildStatement(guardedDialect, (bind) => {
      const source = changedRows(into, bind(`[${tested.join(',')}]`));
      const test = compilePredicate(rule, scopeOf(guardedDialect, bind, into.name));
      return `select count(*) from (${source}) as ${identifier(into.name)} where (${test}) is not true`;
    });
    if (connection.number(statement) > 0) throw rowDenied(into.name);
  }
}

/** Tests a new row before it is stored; the values of the row come first. */
export function compileBefore({ name, fields }: Collection, created: Predicate): Statement {
  const { sql, params } = buildStatement(sqliteDialect, (bind) => {
    const row = fields.map((field) => `${bind(null)} as ${identifier(field.name)}`).join(', ');
    const rule = compilePredicate(created, scopeOf(sqliteDialect, bind, name));
    return `select (${rule}) is true from (select ${row}) as ${identifier(name)}`;
  });
  return { sql, params: params.slice(fields.length) };
}
