/** `select` and `order` become the shape of the answer: its columns, its groups, its order. */
import type { Collection } from '../collection/declaration.ts';
import { builtIn } from '../collection/types/index.ts';
import type { Aggregate, FieldPath, OrderTerm, Query, SelectItem } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { oncePer } from '../once-per.ts';
import { cast } from './casts.ts';
import { noSuch } from './predicate.ts';
import { fieldExpression, resolvePath } from './resolve.ts';
import { type Expression, fieldOf, type OrderKey, type OutputColumn, type Shape } from './types.ts';

/** All fields, each as it is, in the order of the key: the shape of most requests. */
const wholeShape = oncePer((collection: Collection): Shape => {
  const columns = collection.fields.map(
    (field): OutputColumn => ({ name: field.name, expression: fieldExpression(field) }),
  );
  return { columns, order: withKey(collection, []) };
});

export const NO_ORDER: readonly OrderKey[] = [];

export function wholeRow(collection: Collection): readonly OutputColumn[] {
  return wholeShape(collection).columns;
}

/**
 * `breakTies` makes the key the last order key (or the groups, where rows are grouped), so that no two rows
 * compare equal and pages never overlap or skip.
 */
export function planShape(collection: Collection, query: Pick<Query, 'select' | 'order'>, breakTies: boolean): Shape {
  const whole = wholeShape(collection);
  const columns = isEverything(query.select) ? whole.columns : planColumns(collection, query.select);
  if (columns === whole.columns && query.order.length === 0) return breakTies ? whole : { columns, order: NO_ORDER };
  if (columns.some(({ expression }) => isAggregated(expression))) return groupedShape(collection, columns, query.order);
  const order = withoutRepeats(query.order.map((term) => orderKey(resolvePath(collection, term.field), term)));
  return { columns, order: breakTies ? withKey(collection, order) : order };
}

/** Ordering again by the same field decides nothing. */
function withoutRepeats(order: readonly OrderKey[]): readonly OrderKey[] {
  const fields = order.map(({ expression }) => fieldOf(expression));
  return order.filter((_, index) => fields[index] === undefined || fields.indexOf(fields[index]) === index);
}

function groupedShape(collection: Collection, columns: readonly OutputColumn[], terms: readonly OrderTerm[]): Shape {
  const groupBy = columns.map((column) => column.expression).filter((expression) => !isAggregated(expression));
  const order = terms.map((term) => orderKey(resolveGrouped(collection, columns, term.field), term));
  const ties = groupBy.filter((expression) => !order.some((key) => sameExpression(key.expression, expression)));
  return {
    columns,
    groupBy,
    order: [...order, ...ties.map((expression) => orderKey(expression, { descending: false }))],
  };
}

/** Up to the last field of the key, after which nothing is left to decide. */
export function withKey({ key }: Collection, order: readonly OrderKey[]): readonly OrderKey[] {
  const places = key.map((field) => order.findIndex(({ expression }) => fieldOf(expression) === field));
  if (!places.includes(-1)) return order.slice(0, Math.max(...places) + 1);
  const missing = key.filter((_, index) => places[index] === -1);
  return [...order, ...missing.map((field) => ({ expression: fieldExpression(field), descending: false }))];
}

export function orderKey(expression: Expression, term: Pick<OrderTerm, 'descending' | 'nulls'>): OrderKey {
  const { descending } = term;
  const nullable = expression.kind !== 'field' || !expression.field.required;
  return nullable
    ? { expression, descending, nulls: term.nulls ?? (descending ? 'first' : 'last') }
    : { expression, descending };
}

function isEverything(select: readonly SelectItem[]): boolean {
  return select.length === 1 && select[0]!.kind === 'all';
}

function planColumns(collection: Collection, select: readonly SelectItem[]): readonly OutputColumn[] {
  // A name given twice keeps its place and takes the last value, as every JSON reader does.
  const columns = new Map<string, OutputColumn>();
  for (const item of select) {
    for (const column of planItem(collection, item)) columns.set(column.name, column);
  }
  return [...columns.values()];
}

function planItem(collection: Collection, item: SelectItem): readonly OutputColumn[] {
  switch (item.kind) {
    case 'all':
      return wholeRow(collection);
    case 'count': {
      const count: Expression = { kind: 'count', type: builtIn('int8') };
      return [{ name: item.alias ?? 'count', expression: item.cast === undefined ? count : cast(count, item.cast) }];
    }
    case 'embed':
      throw new Refusal(
        'PGRST200',
        `Could not find a relationship between '${collection.name}' and '${item.name}' in the schema cache`,
        {
          details: `Searched for a foreign key relationship between '${collection.name}' and '${item.name}' in the schema, but no matches were found.`,
        },
      );
    case 'column': {
      let expression = resolvePath(collection, item.field);
      if (item.cast !== undefined) expression = cast(expression, item.cast);
      if (item.aggregate !== undefined) expression = aggregate(item.aggregate, expression);
      if (item.aggregateCast !== undefined) expression = cast(expression, item.aggregateCast);
      const name = item.alias ?? item.aggregate ?? nameOf(item.field);
      return [{ name, expression }];
    }
  }
}

function aggregate(name: Aggregate, of: Expression): Expression {
  const type = name === 'count' ? 'int8' : of.type.aggregates[name];
  if (type === undefined) throw noSuch(`function ${name}(${of.type.title})`, 'function');
  return { kind: 'aggregate', function: name, of, type: builtIn(type) };
}

function isAggregated(expression: Expression): boolean {
  if (expression.kind === 'cast') return isAggregated(expression.of);
  return expression.kind === 'count' || expression.kind === 'aggregate';
}

/** Grouped rows are ordered by what they show: a group's field, or a column by its name. */
function resolveGrouped(collection: Collection, columns: readonly OutputColumn[], path: FieldPath): Expression {
  const column = columns.find((each) => each.name === path.name && isAggregated(each.expression));
  if (column !== undefined && path.json.length === 0) return column.expression;
  const expression = resolvePath(collection, path);
  if (columns.some((each) => sameExpression(each.expression, expression))) return expression;
  throw new Refusal(
    '42803',
    `column "${collection.name}.${path.name}" must appear in the GROUP BY clause or be used in an aggregate function`,
    { hint: `Select ${path.name} too, or order by one of: ${columns.map((each) => each.name).join(', ')}.` },
  );
}

/** The last step that is a name: what lies at an index is called as the list it is in. */
function nameOf({ name, json }: FieldPath): string {
  return json.findLast(({ key }) => !/^-?\d+$/.test(key))?.key ?? name;
}

function sameExpression(one: Expression, other: Expression): boolean {
  if (one.kind === 'field') return other.kind === 'field' && one.field === other.field;
  return JSON.stringify(one) === JSON.stringify(other);
}
