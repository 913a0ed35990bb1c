/**
 * Compiles the summary of a list to one statement: the number of its rows and its facets. It reads the candidates once:
 * the rows that satisfy the conditions of no facet, with the result of each other condition as a column. Then it
 * aggregates them for each facet without the facet's own conditions.
 */
import { defined } from '../../base/defined.ts';
import { MAX_FACET_VALUES } from '../../base/limits/http.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Value } from '../../collection/value.ts';
import { ROW } from '../../encode/encoding.ts';
import { fieldsOfExpression } from '../../plan/access/named-fields.ts';
import { countedType } from '../../plan/read/facets.ts';
import type { Expression, Facet, Facets, ReadPlan, TreeWay } from '../../plan/types.ts';
import { columnOf, compileExpression, type Scope } from './expression.ts';
import { compilePredicate, compileWay, compileWhere, joinRelated, relatedWhere } from './predicate.ts';
import { compileSource, scopeOf } from './read.ts';
import { buildStatement, identifier, type Operand, quoteText, type SqlDialect, type Statement } from './statement.ts';

// No name of a collection or field begins with a space.
const CANDIDATES = '" candidates"';
const GROUPS = '" groups"';
const FOUND = '" found"';
const ROW_NUMBER = '" row number"';
const VALUE = '" value"';
const COUNT = '" count"';
const TEXT = builtIn('text');

/** The statement gives the text of one JSON object, `summary`; undefined if the plan has no facets. */
export function compileSummary(plan: ReadPlan, dialect: SqlDialect): Statement | undefined {
  const { from, facets } = plan;
  if (facets === undefined) return undefined;
  return buildStatement(dialect, (bind) => {
    const scope = scopeOf(dialect, bind, from.name);
    const candidates = compileCandidates(plan, facets, scope);
    const sources = facets.list.map((facet, index) => sourceOf(facet, index, facets, scope));
    const lists = sources.map((source, index) => member(facets.list[index]!, compileFacet(source, scope)));
    const numbers = sources.flatMap((source, index) => {
      const facet = facets.list[index]!;
      return facet.bounds ? member(facet, compileBounds(source, scope)) : [];
    });
    const total = `(select count(*) from ${CANDIDATES}${whereOf(conditionsOf(facets, []), scope)})`;
    const parts = [
      `'{"total":' || ${total} || ',"facets":{'`,
      ...withCommas(lists),
      ...(numbers.length === 0 ? [] : [`'},"bounds":{'`, ...withCommas(numbers)]),
      `'}}'`,
    ];
    const text = parts.join(' || ');
    // The length of the text counts as that of a row.
    const bounded = dialect.boundedValue?.(text, [], 0, { bounded: 'row' }) ?? text;
    const summary = `with ${CANDIDATES} as materialized (${candidates}) select ${bounded} as summary`;
    // A statement that defines its tables begins with another list of definitions.
    return `select summary from (${summary}) as summarized`;
  });
}

function member({ name }: Facet, sql: string): string {
  return `${quoteText(`${JSON.stringify(name)}:`)} || ${sql}`;
}

function withCommas(members: readonly string[]): readonly string[] {
  return members.flatMap((each, index) => (index === 0 ? each : [`','`, each]));
}

function compileCandidates(plan: ReadPlan, { where, conditions, list }: Facets, scope: Scope): string {
  const { from } = plan;
  const related = list.filter(({ of }) => of.kind === 'embed');
  const fields = new Set(related.flatMap(({ of }) => [...fieldsOfExpression(from, of)]));
  const columns = [
    `${list.some(isRepeated) ? 'row_number() over ()' : 'null'} as ${ROW_NUMBER}`,
    ...conditions.map((condition, index) => `(${compilePredicate(condition, scope)}) as ${conditionName(index)}`),
    ...list.flatMap(({ of }, index) =>
      of.kind === 'embed' ? [] : `${compileExpression(of, scope)} as ${valueName(index)}`,
    ),
    ...[...fields].map((field) => columnOf(field, scope)),
  ];
  return `select ${columns.join(', ')} from ${compileSource(plan, scope)}${compileWhere(where, scope)}`;
}

/** Whether a row may have several values. */
function isRepeated({ of }: Facet): boolean {
  return of.kind === 'embed' || countedType(of.type) !== of.type;
}

/** The rows of a facet: its candidates, with the related rows or elements that have its values. */
interface FacetSource extends Pick<Facet, 'title' | 'limits' | 'tree'> {
  /** `from … where …` */
  readonly rows: string;
  readonly value: Operand;
  /** Whether a candidate may occur several times. */
  readonly many: boolean;
}

function sourceOf(
  { of, title, limits, tree, ignores }: Facet,
  index: number,
  facets: Facets,
  scope: Scope,
): FacetSource {
  const conditions = [...conditionsOf(facets, ignores)];
  let tables = `${CANDIDATES} as ${identifier(scope.name)}`;
  let value: Operand = { sql: `${identifier(scope.name)}.${valueName(index)}`, of };
  let many = false;
  if (of.kind === 'embed') {
    const { relation, between, plan } = of;
    const joined = joinRelated(relation, scope, between);
    const { expression } = plan.columns[0]!;
    tables += ` cross join ${joined.tables}`;
    conditions.push(relatedWhere(joined, plan.where));
    value = { sql: compileExpression(expression, joined.scope), of: expression };
    many = of.many;
  }
  const { type } = value.of;
  if (countedType(type) !== type) {
    tables += ` cross join ${scope.dialect.elements(value.sql)} as " elements"`;
    value = { sql: '" elements".value', of: { kind: 'cast', of: value.of, type: countedType(type) } };
    many = true;
  }
  const rows = `from ${tables}${whereOf(conditions, scope)}`;
  return { rows, value, many, ...defined({ title, limits, tree }) };
}

/** The conditions that a facet does not ignore. */
function conditionsOf({ conditions }: Facets, ignores: readonly number[]): readonly string[] {
  return conditions.flatMap((_, index) => (ignores.includes(index) ? [] : conditionName(index)));
}

/** Checks the deadline in one of 16 rows, at random: in every row, the checks would take longer than the rest. */
function whereOf(conditions: readonly string[], { dialect: { guard } }: Scope): string {
  const all = guard === undefined ? conditions : [...conditions, `(random() & 15 > 0 or ${guard})`];
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`;
}

function compileFacet(source: FacetSource, scope: Scope): string {
  return source.limits === undefined ? compileValues(source, scope) : compileRanges(source, source.limits, scope);
}

/** The most frequent values; of equally frequent ones the least. */
function compileValues({ rows, value, many, title, tree }: FacetSource, scope: Scope): string {
  const { dialect } = scope;
  const select = (counted: string, more = '') =>
    `select ${value.sql} as ${VALUE}, ${counted} as ${COUNT} ${rows} group by ${dialect.groupedBy(value)}${more}`;
  const found = select(many ? `count(distinct ${ROW_NUMBER})` : 'count(*)');
  // A row with values of two branches counts once for the rows above both.
  const [perRow, sum] = many
    ? [select(ROW_NUMBER, `, ${ROW_NUMBER}`), `count(distinct ${COUNT})`]
    : [found, `cast(sum(${COUNT}) as bigint)`];
  const counts = tree === undefined ? found : compileTreeCounts(tree, perRow, sum, scope);
  const ties = dialect.orderedBy({ ...value, sql: `${FOUND}.${VALUE}` }).map((key) => `${key} nulls last`);
  const order = [`${COUNT} desc`, ...ties].join(', ');
  const groups = `select * from (${counts}) as ${FOUND} order by ${order} limit ${MAX_FACET_VALUES}`;
  const titles: [string, string][] =
    title === undefined ? [] : [['title', dialect.json(compileTitle(title, scope), title.type)]];
  const members: [string, string][] = [
    ['value', dialect.json(`${GROUPS}.${VALUE}`, value.of.type)],
    ...titles,
    ['count', `${GROUPS}.${COUNT}`],
  ];
  return dialect.listAsJson(
    `select ${dialect.rowAsJson(members, false)} as ${identifier(ROW)} from (${groups}) as ${GROUPS}`,
  );
}

/**
 * The counts of values and of all rows above those that they refer to. Each pair of a value and a row above is one.
 * `sum` adds up the counts of `found`.
 */
function compileTreeCounts(tree: TreeWay, found: string, sum: string, scope: Scope): string {
  const { found: way, next, step } = compileWay(tree, scope);
  const pairs = `select ${VALUE}, ${VALUE} from ${FOUND} where ${VALUE} is not null union select ${way}.value, ${next} ${step.from}${step.where}`;
  const walk = `with recursive ${FOUND} as (${found}), ${way} (value, key) as (${pairs})`;
  const sums = `select ${way}.key as ${VALUE}, ${sum} as ${COUNT} from ${way} join ${FOUND} on ${FOUND}.${VALUE} = ${way}.value group by ${way}.key`;
  return `${walk} ${sums} union all select ${VALUE}, ${sum} as ${COUNT} from ${FOUND} where ${VALUE} is null group by ${VALUE}`;
}

/** The value of a group stands for the field that refers. */
function compileTitle(title: Expression, scope: Scope): string {
  return compileExpression(title, { ...scope, name: ' groups', column: () => `${GROUPS}.${VALUE}` });
}

/** Half-open ranges. Rows below the first, above the last and without a value are listed if there are any. */
function compileRanges({ rows, value, many }: FacetSource, limits: readonly Value[], { dialect, bind }: Scope): string {
  const compare = (operator: '<' | '>=', limit: Value) => dialect.compare(value, operator, limit, bind);
  const count = (condition: string) =>
    many ? `count(distinct case when ${condition} then ${ROW_NUMBER} end)` : `count(case when ${condition} then 1 end)`;
  const json = (limit: Value) => bind(value.of.type.json(limit), TEXT);
  const range = (names: readonly string[], condition: string) =>
    [`',{'`, ...names, `'"count":' || ${count(condition)} || '}'`].join(' || ');
  const ifAny = (condition: string, sql: string) => `case when ${count(condition)} > 0 then ${sql} else '' end`;
  const from = (limit: Value) => `'"from":' || ${json(limit)} || ','`;
  const to = (limit: Value) => `'"to":' || ${json(limit)} || ','`;
  const [first, last] = [limits[0]!, limits.at(-1)!];
  const parts = [
    ifAny(compare('<', first), range([to(first)], compare('<', first))),
    ...limits.slice(1).map((limit, index) => {
      const start = limits[index]!;
      return range([from(start), to(limit)], `${compare('>=', start)} and ${compare('<', limit)}`);
    }),
    ifAny(compare('>=', last), range([from(last)], compare('>=', last))),
    ifAny(`${value.sql} is null`, range([`'"value":null,'`], `${value.sql} is null`)),
  ];
  return `(select '[' || substr(${parts.join(' || ')}, 2) || ']' ${rows})`;
}

function compileBounds({ rows, value }: FacetSource, { dialect }: Scope): string {
  const { of } = value;
  const bound = (name: 'min' | 'max') => {
    const type = builtIn(of.type.aggregates[name]!);
    return dialect.valueAsJson(dialect.aggregate(name, of, value.sql), type);
  };
  return `(select '{"minimum":' || ${bound('min')} || ',"maximum":' || ${bound('max')} || '}' ${rows})`;
}

function conditionName(index: number): string {
  return `" condition ${index}"`;
}

function valueName(index: number): string {
  return `" value ${index}"`;
}
