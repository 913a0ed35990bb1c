/** Plans the shape of the result from `select` and `order`: columns, groups, order. */
import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import type { Collection } from '../../collection/declaration.ts';
import { isCastable } from '../../collection/types/cast.ts';
import { castNames, castTypeNamed } from '../../collection/types/index.ts';
import type { EmbedItem, FieldPath, OrderTerm, Query, SelectItem } from '../../dialect/tree.ts';
import { fieldExpression, isHidden, resolvePath } from '../resolve.ts';
import type { Expression, OutputColumn, Shape } from '../types.ts';
import {
  aggregate,
  COUNT,
  checkUnambiguous,
  columnName,
  type Embeds,
  embeddedRows,
  embeddedValues,
  embedName,
  type PlannedEmbed,
} from './embeds.ts';
import { comparedAs, orderedBy, orderKey, planOrder, totalOrder } from './order.ts';

export const NO_COLUMNS: readonly OutputColumn[] = [];

export const wholeRow: (collection: Collection) => readonly OutputColumn[] = memoize(({ fields, view }) => {
  // A role that sees all fields shares the list of the stored collection.
  if (fields === view?.of.fields) return wholeRow(view.of);
  return fields.map((field): OutputColumn => ({ name: field.name, expression: fieldExpression(field) }));
});

/** A shape with the order as requested, and with a total order. */
export interface Shapes {
  readonly asked: Shape;
  /**
   * The key, or the groups of a grouped result, end the order. Then no two rows compare equal, and pages never overlap
   * or skip.
   */
  readonly total: Shape;
}

export function planShapes(collection: Collection, query: Pick<Query, 'select' | 'order'>, embeds: Embeds): Shapes {
  const { columns, asked, isGrouped, isWhole } = planColumns(collection, query.select, embeds);
  if (isGrouped) {
    const grouped = { columns, ...groups(collection, asked, query.order, embeds) };
    return { asked: grouped, total: grouped };
  }
  const order = planOrder(collection, query.order, embeds);
  const total = totalOrder(collection, columns, order);
  return { asked: { columns, order, isWhole }, total: { columns, order: total, isWhole } };
}

/** Groups by every selected expression, even if another column has the same name. */
function groups(
  collection: Collection,
  columns: readonly OutputColumn[],
  terms: readonly OrderTerm[],
  embeds: Embeds,
): Omit<Shape, 'columns'> {
  const groupBy = columns.map((column) => column.expression).filter((expression) => !isAggregated(expression));
  const order = terms.map((term) => {
    if (term.embed === undefined) return orderKey(resolveGrouped(collection, columns, term.field), term);
    const expression = orderedBy(collection, term, embeds);
    const group = groupBy.find((each) => sameExpression(comparedAs(each), expression));
    if (group === undefined) throw notGrouped(collection, `${term.embed}.${term.field.name}`, columns);
    return orderKey(comparedAs(group), term);
  });
  const ties = groupBy.filter((each) => !order.some((key) => sameExpression(key.expression, comparedAs(each))));
  return {
    groupBy,
    order: [...order, ...ties.map((expression) => orderKey(expression, { descending: false }))],
  };
}

function isEverything(select: readonly SelectItem[]): boolean {
  return select.length === 1 && select[0]!.kind === 'all';
}

interface Columns {
  /** All selected columns, and those that the result shows. */
  readonly asked: readonly OutputColumn[];
  readonly columns: readonly OutputColumn[];
  readonly isGrouped: boolean;
  readonly isWhole: boolean;
}

function planColumns(collection: Collection, select: readonly SelectItem[], embeds: Embeds): Columns {
  if (isEverything(select)) {
    const columns = wholeRow(collection);
    return { columns, asked: columns, isGrouped: false, isWhole: true };
  }
  // As in PostgREST, embeddings follow the row's own columns. A repeated name keeps its position and takes the last
  // value, as in every JSON reader.
  const items = [...select.filter(({ kind }) => kind !== 'embed'), ...select.filter(({ kind }) => kind === 'embed')];
  const columns = items.flatMap((item) => planItem(collection, item, embeds));
  return {
    asked: columns,
    columns: [...new Map(columns.map((column) => [column.name, column])).values()],
    isGrouped: columns.some(({ expression }) => isAggregated(expression)),
    isWhole: false,
  };
}

function planItem(collection: Collection, item: SelectItem, embeds: Embeds): readonly OutputColumn[] {
  switch (item.kind) {
    case 'all':
      return wholeRow(collection);
    case 'count':
      return [countColumn(item)];
    case 'embed':
      return planEmbedded(item, embeds.get(item)!);
    case 'column': {
      if (isBareCount(collection, item)) return [countColumn(item)];
      let expression = resolvePath(collection, item.field);
      if (item.cast !== undefined) expression = cast(expression, item.cast);
      if (item.aggregate !== undefined) expression = aggregate(item.aggregate, expression);
      if (item.aggregateCast !== undefined) expression = cast(expression, item.aggregateCast);
      return [{ name: columnName(item), expression }];
    }
  }
}

function countColumn({ alias = 'count', cast: as }: { readonly alias?: string; readonly cast?: string }): OutputColumn {
  return { name: alias, expression: as === undefined ? COUNT : cast(COUNT, as) };
}

/**
 * `count` without parentheses, PostgREST's older syntax that Supabase clients still send, unless a field has that name.
 */
function isBareCount(collection: Collection, { field, aggregate }: Extract<SelectItem, { kind: 'column' }>): boolean {
  const isPlainCount = field.name === 'count' && field.json.length === 0 && aggregate === undefined;
  return isPlainCount && !collection.byName.has('count') && !isHidden(collection, 'count');
}

/** An embedding gives its rows or, if spread, its columns. One without columns only filters. */
function planEmbedded(item: EmbedItem, embed: PlannedEmbed): readonly OutputColumn[] {
  if (embed.plan.columns.length === 0) return [];
  if (!item.spread) return [{ name: embedName(item), expression: embeddedRows(embed) }];
  if (embed.many && embed.plan.groupBy !== undefined) {
    throw new ApiError('PGRST127', 'Feature not implemented', {
      details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
    });
  }
  checkUnambiguous(embed, embed.shown.named);
  return embed.plan.columns.map((column) => ({ name: column.name, expression: spread(embed, column) }));
}

/** For a to-one embedding: an aggregate of its column runs over the outer rows that have it. */
function spread(embed: PlannedEmbed, column: OutputColumn): Expression {
  const { expression } = column;
  if (!isAggregated(expression)) return embeddedValues(embed, column);
  if (expression.kind === 'cast') {
    return { ...expression, of: spread(embed, { ...column, expression: expression.of }) };
  }
  const valuesOf = (of: Expression) => embeddedValues(embed, { ...column, expression: of });
  if (expression.kind === 'aggregate') return { ...expression, of: valuesOf(expression.of) };
  // Counts the rows that have one.
  const key = fieldExpression(embed.relation.inner);
  return { kind: 'aggregate', function: 'count', of: valuesOf(key), type: expression.type };
}

function isAggregated(expression: Expression): boolean {
  if (expression.kind === 'cast') return isAggregated(expression.of);
  return expression.kind === 'count' || expression.kind === 'aggregate';
}

/** Grouped rows are ordered by a grouped field or by a column name. */
function resolveGrouped(collection: Collection, columns: readonly OutputColumn[], path: FieldPath): Expression {
  const column = columns.find((each) => each.name === path.name && isAggregated(each.expression));
  if (column !== undefined && path.json.length === 0) return column.expression;
  const expression = resolvePath(collection, path);
  if (columns.some((each) => sameExpression(each.expression, expression))) return expression;
  throw notGrouped(collection, `${collection.name}.${path.name}`, columns);
}

function notGrouped({ name }: Collection, column: string, columns: readonly OutputColumn[]): ApiError {
  return new ApiError(
    '42803',
    `column "${column}" must appear in the GROUP BY clause or be used in an aggregate function`,
    {
      hint: `Groups of ${name} are ordered by what is selected of them: ${columns.map((each) => each.name).join(', ')}.`,
    },
  );
}

/** Parts of the declaration inside an expression. They are compared by identity, because they refer to each other. */
const DECLARED = ['type', 'field', 'from', 'to', 'outer', 'inner', 'referring', 'through'];

export function sameExpression(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const parts = new Map(Object.entries(other));
  const entries = Object.entries(one);
  return (
    entries.length === parts.size &&
    entries.every(
      ([name, part]) => part === parts.get(name) || (!DECLARED.includes(name) && sameExpression(part, parts.get(name))),
    )
  );
}

/** Resolves casts by PostgreSQL's type names. */
export function cast(of: Expression, typeName: string): Expression {
  const type = castTypeNamed(typeName);
  if (type === undefined) {
    throw new ApiError('42704', `type "${typeName}" does not exist`, {
      hint: `Types to cast to: ${castNames().join(', ')}.`,
    });
  }
  if (!isCastable(of.type, type)) throw new ApiError('42846', `cannot cast type ${of.type.title} to ${type.title}`);
  if (of.kind === 'null') return { kind: 'null', type };
  return of.type === type ? of : { kind: 'cast', of, type };
}
