/** Plans the order of the rows of a result. */
import { ApiError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import type { Collection } from '../../collection/declaration.ts';
import { treeOf } from '../../collection/tree.ts';
import { embedded } from '../../collection/types/embedded.ts';
import { builtIn } from '../../collection/types/index.ts';
import { can } from '../../collection/types/type.ts';
import type { OrderTerm } from '../../dialect/tree.ts';
import { fieldExpression, pathType, resolvePath, undefinedFor } from '../resolve.ts';
import { ALWAYS, type Expression, fieldOf, type OrderKey, type OutputColumn, type Shape } from '../types.ts';
import {
  checkUnambiguous,
  type Embeds,
  embeddedValues,
  findEmbed,
  NO_EMBEDS,
  notEmbedded,
  resolveTested,
} from './embeds.ts';

export const NO_ORDER: readonly OrderKey[] = [];

export function planOrder(
  collection: Collection,
  terms: readonly OrderTerm[],
  embeds = NO_EMBEDS,
): readonly OrderKey[] {
  if (terms.length === 0) return NO_ORDER;
  return withoutRepeats(
    terms.map((term) => {
      const key = orderKey(orderedBy(collection, term, embeds), term);
      return term.field.figure === undefined ? key : { ...key, path: term.field };
    }),
  );
}

/** Repeated order fields have no effect. */
function withoutRepeats(order: readonly OrderKey[]): readonly OrderKey[] {
  const fields = order.map(({ expression }) => fieldOf(expression));
  return order.filter((_, index) => fields[index] === undefined || fields.indexOf(fields[index]) === index);
}

export function totalOrder(
  collection: Collection,
  columns: readonly OutputColumn[],
  order: readonly OrderKey[],
): readonly OrderKey[] {
  if (collection.key.length > 0) return withKeyOrder(collection, order);
  return hidesRowsOfNoKey(collection) ? withVisibleOrder(collection, columns, order) : order;
}

/** Whether the storage order of rows without a key would show a role that something changed that it may not read. */
export function hidesRowsOfNoKey({ key, view }: Collection): boolean {
  return key.length === 0 && view?.readsAll === false;
}

/** Ends with all visible values, so that rows in storage order look the same. */
function withVisibleOrder(
  { fields }: Collection,
  columns: readonly OutputColumn[],
  order: readonly OrderKey[],
): readonly OrderKey[] {
  const shown = columns.map(({ expression }) => expression).filter(({ type }) => type !== embedded);
  const ordered = new Set(order.map(({ expression }) => fieldOf(expression) ?? expression));
  const values = [...fields.map(fieldExpression), ...shown].filter((each) => !ordered.has(fieldOf(each) ?? each));
  const ties = new Map(values.map((each) => [fieldOf(each) ?? each, each]));
  return [...order, ...[...ties.values()].map((each) => orderKey(comparable(each), { descending: false }))];
}

/** Types without an order, or whose order ignores what a client sees, are compared as text. */
function comparable(of: Expression): Expression {
  return can(of.type, 'foreign') || can(of.type, 'json') ? { kind: 'cast', of, type: builtIn('text') } : of;
}

/** Ends at the last key field, since no ties remain. */
export function withKeyOrder({ key }: Collection, order: readonly OrderKey[]): readonly OrderKey[] {
  if (key.length === 0) return order;
  const places = key.map((field) => order.findIndex(({ expression }) => fieldOf(expression) === field));
  if (!places.includes(-1)) return order.slice(0, Math.max(...places) + 1);
  const missing = key.filter((_, index) => places[index] === -1);
  return [...order, ...missing.map((field) => ({ expression: fieldExpression(field), descending: false }))];
}

/** Writes process rows in storage order, which clients should not see. */
export function sortedByKey<Of extends Shape>(collection: Collection, shape: Of): Of {
  if (shape.groupBy !== undefined || shape.order.length > 0) return shape;
  return { ...shape, order: withKeyOrder(collection, []) };
}

export function orderKey(expression: Expression, term: Pick<OrderTerm, 'descending' | 'nulls'>): OrderKey {
  const { descending } = term;
  const nullable = expression.kind !== 'field' || !expression.field.required;
  return nullable
    ? { expression, descending, nulls: term.nulls ?? (descending ? 'first' : 'last') }
    : { expression, descending };
}

/** `parent_id(depth)` orders the rows of a tree from the top down. */
const DEPTH = 'depth';

/** A field, a figure of related rows, a depth in a tree, or a column of a to-one embedding. */
export function orderedBy(collection: Collection, { embed: name, field }: OrderTerm, embeds: Embeds): Expression {
  if (name === undefined) return resolveTested(collection, field, embeds);
  const embed = findEmbed(embeds, name);
  const key = collection.byName.get(name);
  const tree = embed === undefined && field.name === DEPTH && key ? treeOf(collection, key) : undefined;
  if (tree !== undefined) return { kind: 'depth', tree: { ...tree, where: ALWAYS }, type: builtIn('int8') };
  if (embed === undefined) throw notEmbedded(name);
  if (embed.many) {
    throw new ApiError('PGRST118', say`A related order on '${name}' is not possible`, {
      details: say`'${collection.name}' and '${name}' do not form a many-to-one or one-to-one relationship`,
    });
  }
  const { to, plan } = embed;
  // An embedding without columns may still be used to filter and sort.
  const column =
    plan.columns.length === 0
      ? { name: field.name, expression: resolvePath(to, { ...field, json: [] }) }
      : plan.columns.find((each) => each.name === field.name);
  if (column === undefined) {
    throw new ApiError('42703', say`column ${name}.${field.name} does not exist`, {
      hint: `Order by what is selected of it: ${plan.columns.map((each) => each.name).join(', ')}.`,
    });
  }
  checkUnambiguous(embed, [column.name]);
  const of = comparedAs(embeddedValues(embed, column));
  const last = field.json.at(-1);
  if (last === undefined) return of;
  if (!can(of.type, 'json')) {
    throw undefinedFor(say`operator does not exist: ${of.type.title} ${field.json[0]!.arrow} unknown`, 'operator');
  }
  return { kind: 'path', of, steps: field.json, type: pathType(last) };
}

/** A nested embedding is compared as JSON, not as text. */
export function comparedAs(of: Expression): Expression {
  return of.type === embedded ? { kind: 'cast', of, type: builtIn('json') } : of;
}
