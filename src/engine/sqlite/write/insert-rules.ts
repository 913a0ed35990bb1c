/** The rules of a role in SQL: which rows an insert may create and change. */
import type { Collection } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { ALWAYS, type Predicate, type Restriction } from '../../../plan/types.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import { sqliteDialect } from '../dialect.ts';

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
  const { fields, name } = collection;
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

/** Tests a new row before it is stored; the values of the row come first. */
export function compileBefore({ name, fields }: Collection, created: Predicate): Statement {
  const { sql, params } = buildStatement(sqliteDialect, (bind) => {
    const row = fields.map((field) => `${bind(null)} as ${identifier(field.name)}`).join(', ');
    const rule = compilePredicate(created, scopeOf(sqliteDialect, bind, name));
    return `select (${rule}) is true from (select ${row}) as ${identifier(name)}`;
  });
  return { sql, params: params.slice(fields.length) };
}
