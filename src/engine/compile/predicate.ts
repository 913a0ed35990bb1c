/** Predicates in SQL, kind by kind. */
import { isAlways, type Predicate } from '../../plan/types.ts';
import { type Bind, identifier, type SqlDialect } from './statement.ts';

type Kind = Predicate['kind'];
type Compilers = {
  readonly [K in Kind]: (predicate: Predicate & { kind: K }, dialect: SqlDialect, bind: Bind) => string;
};

const compilers: Compilers = {
  constant: ({ value }) => (value === null ? 'null' : value ? '1=1' : '1=0'),
  all: ({ terms }, dialect, bind) => join(terms, ' and ', '1=1', dialect, bind),
  any: ({ terms }, dialect, bind) => join(terms, ' or ', '1=0', dialect, bind),
  not: ({ term }, dialect, bind) => `not (${compilePredicate(term, dialect, bind)})`,
  compare: ({ field, operator, value }, dialect, bind) => {
    const bound = bind(value, field.type);
    return dialect.compare?.(field, operator, bound) ?? `${identifier(field.name)} ${operator} ${bound}`;
  },
  in: ({ field, values }, dialect, bind) => dialect.memberOf(field, values, bind),
  null: ({ field }) => `${identifier(field.name)} is null`,
  distinct: ({ field, value }, _, bind) => `${identifier(field.name)} is distinct from ${bind(value, field.type)}`,
  like: (predicate, dialect, bind) => dialect.textTest(predicate, identifier(predicate.field.name), bind),
  regex: (predicate, dialect, bind) => dialect.textTest(predicate, identifier(predicate.field.name), bind),
  search: (predicate, dialect, bind) => dialect.textTest(predicate, identifier(predicate.field.name), bind),
};

export function compilePredicate(predicate: Predicate, dialect: SqlDialect, bind: Bind): string {
  const compile = compilers[predicate.kind] as (predicate: Predicate, dialect: SqlDialect, bind: Bind) => string;
  return compile(predicate, dialect, bind);
}

/** ` where …`, or nothing where every row will do. */
export function compileWhere(predicate: Predicate, dialect: SqlDialect, bind: Bind): string {
  const { guard } = dialect;
  if (isAlways(predicate)) return guard === undefined ? '' : ` where ${guard}`;
  const condition = compilePredicate(predicate, dialect, bind);
  return guard === undefined ? ` where ${condition}` : ` where ${guard} and (${condition})`;
}

function join(terms: readonly Predicate[], joiner: string, none: string, dialect: SqlDialect, bind: Bind): string {
  if (terms.length === 0) return none;
  return `(${terms.map((term) => compilePredicate(term, dialect, bind)).join(joiner)})`;
}
