/** Compiles predicates to SQL, and the join with the related rows of another collection. */
import type { Field } from '../../collection/declaration.ts';
import { isMany, pairsOf, type Relation } from '../../collection/relations.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import { isAlways, type Predicate, type TreeTest, type TreeWay } from '../../plan/types.ts';
import { isCostlyFilter } from '../shared/cost.ts';
import { columnOf, compileExpression, compileGroupBy, compileOperand, compilePage, type Scope } from './expression.ts';
import { identifier, type TextPredicate } from './statement.ts';

type Kind = Predicate['kind'];
type Compilers = { readonly [K in Kind]: (predicate: Predicate & { kind: K }, scope: Scope) => string };

const textTest = (predicate: TextPredicate, scope: Scope): string =>
  scope.dialect.textTest(predicate, compileExpression(predicate.of, scope), scope.bind);

const compilers: Compilers = {
  constant: ({ value }) => (value === null ? 'null' : value ? '1=1' : '1=0'),
  all: (predicate, scope) => {
    const { cheap, costly } = compileTests(predicate, scope);
    return conjunction([...cheap, ...costly]);
  },
  any: ({ terms }, scope) =>
    terms.length === 0 ? '1=0' : `(${terms.map((term) => compilePredicate(term, scope)).join(' or ')})`,
  not: ({ term }, scope) => `not (${compilePredicate(term, scope)})`,
  compare: ({ of, operator, value }, scope) =>
    scope.dialect.compare(compileOperand(of, scope), operator, value, scope.bind),
  in: ({ of, values }, scope) => scope.dialect.memberOf(compileOperand(of, scope), values, scope.bind),
  null: ({ of }, scope) => `${compileExpression(of, scope)} is null`,
  truth: ({ of, value }, scope) =>
    `${compileExpression(of, scope)} is ${value === null ? 'null' : value ? 'true' : 'false'}`,
  distinct: ({ of, value }, scope) =>
    scope.dialect.compare(compileOperand(of, scope), 'is distinct from', value, scope.bind),
  contains: ({ of, operator, value }, scope) =>
    scope.dialect.contains(compileOperand(of, scope), operator, scope.bind(value, of.type)),
  exists: ({ relation, where, between, offset = 0, groupBy = [], isFirst, tree }, scope) => {
    if (tree !== undefined) return compileTree(relation, tree, where, scope);
    if (isFirst === true) return compileList(relation, where, scope);
    const inner = joinRelated(relation, scope, between);
    const rows = `from ${inner.tables} where ${relatedWhere(inner, where)}`;
    return `exists (select 1 ${rows}${compileGroupBy(groupBy, inner.scope)}${compilePage({ offset }, scope.bind)})`;
  },
  like: textTest,
  regex: textTest,
  search: textTest,
};

export function compilePredicate(predicate: Predicate, scope: Scope): string {
  const compile = compilers[predicate.kind] as (predicate: Predicate, scope: Scope) => string;
  return compile(predicate, scope);
}

/** ` where …`, or empty if every row matches. */
export function compileWhere(predicate: Predicate, scope: Scope): string {
  const { guard, prefilter } = scope.dialect;
  if (isAlways(predicate)) return guard === undefined ? '' : ` where ${guard}`;
  // Compiled first, so that the first of several errors is reported.
  const condition = compilePredicate(predicate, scope);
  if (guard === undefined && prefilter === undefined) return ` where ${condition}`;
  const first = [guard, prefilter?.(predicate, scope.name, scope.bind)].filter((each) => each !== undefined);
  return first.length === 0 ? ` where ${condition}` : ` where ${first.join(' and ')} and (${condition})`;
}

function conjunction(tests: readonly string[]): string {
  return tests.length === 0 ? '1=1' : `(${tests.join(' and ')})`;
}

interface Tests {
  readonly cheap: readonly string[];
  readonly costly: readonly string[];
}

const NO_TESTS: Tests = { cheap: [], costly: [] };

function compileTests(predicate: Predicate, scope: Scope): Tests {
  if (predicate.kind === 'all') {
    return predicate.terms.reduce(
      (before, term) => addTests(before, term, scope, predicate.isInOrder === true && isCostlyFilter(term)),
      NO_TESTS,
    );
  }
  if (isAlways(predicate)) return NO_TESTS;
  const tests = [compilePredicate(predicate, scope)];
  return isCostlyFilter(predicate, 0) ? { cheap: [], costly: tests } : { cheap: tests, costly: [] };
}

/**
 * A database may run a costly test before a rule, and its time would reveal rows that the rule hides. So both become
 * one test if `isLate`. The rule remains a test of its own, since an index may find its rows.
 */
function addTests(before: Tests, term: Predicate, scope: Scope, isLate: boolean): Tests {
  const { cheap, costly } = compileTests(term, scope);
  const rule = conjunction([...before.cheap, ...before.costly]);
  return {
    cheap: [...before.cheap, ...cheap],
    costly: isLate ? [`case when ${rule} then ${conjunction(costly)} end`] : [...before.costly, ...costly],
  };
}

/** Whether a reference is one of a list of keys. Null is not; below a negation the result would differ. */
function compileList({ to, outer, inner }: Relation, where: Predicate, scope: Scope): string {
  const rows = innerScope(scope, to);
  const list = `select ${columnOf(inner, rows)} from ${aliased(to, rows)}`;
  return scope.dialect.isListed(columnOf(outer, scope), `${list} where ${compilePredicate(where, rows)}`);
}

/** Whether a row belongs to a part of a tree. */
function compileTree(relation: Relation, tree: TreeTest, where: Predicate, scope: Scope): string {
  // Not an array, which PostgreSQL would search from its start for each row.
  const isFound = `${columnOf(relation.outer, scope)} in (${compileWalk(relation, tree, where, scope)})`;
  // PostgreSQL does not turn a comparison into a join.
  return tree.isLarge === true ? `((${isFound}) = true)` : isFound;
}

/** The keys of a part of a tree. The union finds each row once, so that even a circle ends. */
export function compileWalk({ to, inner }: Relation, tree: TreeTest, where: Predicate, scope: Scope): string {
  const rows = innerScope(scope, to);
  const [table, found] = [aliased(to, rows), identifier(` tree ${rows.depth}`)];
  const [next, own] = tree.direction === 'within' ? [inner, tree.by] : [tree.by, inner];
  // The first row need not be visible to find the rows below it, but to find those above it.
  const first = `${compilePredicate(tree.from, rows)}${tree.direction === 'within' ? '' : andIf(where, rows)}`;
  const value = columnOf(next, rows);
  const start = `select ${value} from ${table} where ${first} and ${value} is not null`;
  const step = `select ${value} from ${found} join ${table} on ${same(own, `${found}.key`, rows)} where ${value} is not null${andIf(where, rows)}${andGuard(scope)}`;
  return `with recursive ${found} (key) as (${start} union ${step}) select key from ${found}`;
}

/**
 * The number of rows above the row that a field refers to. In a tree, a field that leads to the row above counts those
 * above its own row, so that the root comes before its children.
 */
export function compileDepth(tree: TreeWay, scope: Scope): string {
  const { inner, outer } = tree.relation;
  const { table, found, next, step } = compileWay(tree, scope);
  const first = columnOf(outer === tree.by ? inner : outer, scope);
  const start = `select ${next} from ${table.sql} where ${same(inner, first, table.scope)}`;
  const walk = `with recursive ${found} (key) as (${start}${step.where} union select ${next} ${step.from}${step.where})`;
  return `(${walk} select count(*) from ${found})`;
}

/** The parts of a walk up a tree: its table, the name of the rows found so far, and the step to the row above. */
export function compileWay({ relation: { to, inner }, by, where }: TreeWay, scope: Scope) {
  const rows = innerScope(scope, to);
  const [sql, found] = [aliased(to, rows), identifier(` tree ${rows.depth}`)];
  const next = columnOf(by, rows);
  return {
    table: { sql, scope: rows },
    found,
    next,
    step: {
      from: `from ${found} join ${sql} on ${same(inner, `${found}.key`, rows)} where 1=1`,
      where: ` and ${next} is not null${andIf(where, rows)}${andGuard(scope)}`,
    },
  };
}

/** The condition of the related rows that satisfy a predicate. */
export function relatedWhere({ condition, between, scope }: Related, where: Predicate): string {
  const links: Tests = between === undefined ? NO_TESTS : { cheap: [between], costly: [] };
  const { cheap, costly } = addTests(links, where, scope, between !== undefined && isCostlyFilter(where));
  return [condition, ...cheap, ...costly].join(' and ');
}

/** The tables of related rows, the join condition, the test of rows of a join collection, and the scope. */
interface Related {
  readonly tables: string;
  readonly condition: string;
  readonly between?: string;
  readonly scope: Scope;
}

export function joinRelated(relation: Relation, outer: Scope, between: Predicate | undefined): Related {
  const { to, through } = relation;
  const scope = innerScope(outer, to);
  const table = aliased(to, scope);
  const own = columnOf(relation.outer, outer);
  const other = columnOf(relation.inner, scope);
  // A row may have very many related rows, so each of them counts against the deadline.
  const guard = isMany(relation) ? andGuard(outer) : '';
  if (relation.computedBy !== undefined) {
    const rows = outer.dialect.callOfRow!(relation.computedBy, outer.name, relation.from.name);
    return { tables: `${rows} as ${identifier(scope.name)}`, condition: '1=1', scope };
  }
  if (relation.list === 'outer') {
    const list = ` list ${scope.depth}`;
    const elements = `${outer.dialect.elements(own)} as ${identifier(list)}`;
    const tables = `${elements} join ${table} on ${other} = ${identifier(list)}.value`;
    return { tables, condition: `1=1${guard}`, scope: { ...scope, list } };
  }
  if (relation.list === 'inner') {
    return { tables: table, condition: `${outer.dialect.isElement(own, other)}${guard}`, scope };
  }
  if (through === undefined) {
    return { tables: table, condition: `${equal(pairsOf(relation), outer, scope)}${guard}`, scope };
  }
  const middle = { ...scope, name: ` through ${scope.depth} ${through.collection.name}` };
  const near = equal(zip(through.near.targets, through.near.fields), outer, middle);
  const far = equal(zip(through.far.fields, through.far.targets), middle, scope);
  const tables = `${aliased(through.collection, middle)} join ${table} on ${far}`;
  const link = between === undefined ? {} : { between: compilePredicate(between, middle) };
  return { tables, condition: `${near}${guard}`, ...link, scope };
}

/** The depth distinguishes the rows from enclosing reads, even if a long name is cut; siblings may share an alias. */
function innerScope({ column: _, ...outer }: Scope, { name }: Relation['to']): Scope {
  const depth = outer.depth + 1;
  return { ...outer, name: ` ${depth} ${name}`, depth };
}

function aliased({ name }: Pick<Relation['to'], 'name'>, scope: Scope): string {
  return `${identifier(name)} as ${identifier(scope.name)}`;
}

function andIf(predicate: Predicate, scope: Scope): string {
  return isAlways(predicate) ? '' : ` and ${compilePredicate(predicate, scope)}`;
}

export function andGuard({ dialect: { guard } }: Scope): string {
  return guard === undefined ? '' : ` and ${guard}`;
}

function zip(outer: readonly Field[], inner: readonly Field[]) {
  return outer.map((field, at) => [field, inner[at]!] as const);
}

function equal(pairs: readonly (readonly [Field, Field])[], outer: Scope, inner: Scope): string {
  return pairs.map(([own, other]) => same(other, columnOf(own, outer), inner)).join(' and ');
}

/** Whether a field of a row has the value of another row. */
function same(field: Field, value: string, scope: Scope): string {
  const column = columnOf(field, scope);
  return scope.dialect.joins?.({ sql: column, of: fieldExpression(field) }, value) ?? `${column} = ${value}`;
}
