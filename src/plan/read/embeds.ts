/**
 * The planned embeddings of one level, which columns, conditions and order may refer to; their names; and aggregates,
 * also over the related rows of a row: `prices.amount.min()`.
 */
import { ApiError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import type { Relation } from '../../collection/relations.ts';
import { COMPLETIONS, MARKED_TEXTS } from '../../collection/search-fields.ts';
import { embedded } from '../../collection/types/embedded.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Aggregate, EmbedItem, FieldPath, SelectItem } from '../../dialect/tree.ts';
import { resolvePath, undefinedFor } from '../resolve.ts';
import {
  ALWAYS,
  type Expression,
  NEVER,
  type OutputColumn,
  type Predicate,
  type ReadPlan,
  sourceOf,
} from '../types.ts';
import { relate } from './relate.ts';

export interface PlannedEmbed {
  readonly relation: Relation;
  /** The embedded collection as the caller's role sees it. */
  readonly to: Collection;
  readonly plan: ReadPlan;
  /** Whether a row may have several. */
  readonly many: boolean;
  readonly shown: ShownNames;
}

/** The column names of an embedding, with repetitions. */
interface ShownNames {
  readonly named: readonly string[];
  /** The names that `*` stands for. */
  readonly starred: readonly string[];
}

export type Embeds = ReadonlyMap<EmbedItem, PlannedEmbed>;

export const NO_EMBEDS: Embeds = new Map();

/** The name in the result and in parameters: the alias, if any. */
export function embedName({ alias, name }: EmbedItem): string {
  return alias ?? name;
}

export function findEmbed(embeds: Embeds, name: string): PlannedEmbed | undefined {
  for (const [item, embed] of embeds) if (embedName(item) === name) return embed;
  return undefined;
}

export function notEmbedded(name: string): ApiError {
  return new ApiError('PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter, and that its alias is used where it has one.`,
  });
}

/** Tests whether the embedding has any row after its conditions and page. */
export function existsPredicate({ relation, plan }: PlannedEmbed): Predicate {
  const { where, groupBy, offset, limit } = plan;
  if (limit === 0) return NEVER;
  // An aggregate without groups always gives one row.
  if (groupBy?.length === 0) return { kind: 'constant', value: offset === 0 };
  const skipped = offset === 0 ? {} : { offset, ...(groupBy === undefined ? {} : { groupBy }) };
  return { kind: 'exists', relation, where, ...skipped };
}

export function embeddedRows({ relation, plan, many }: PlannedEmbed): Expression {
  return { kind: 'embed', relation, plan, shows: 'rows', many, type: embedded };
}

/** The values of one column of the embedded rows. */
export function embeddedValues(
  { relation, plan, many }: Pick<PlannedEmbed, 'relation' | 'plan' | 'many'>,
  column: OutputColumn,
): Expression {
  const one: ReadPlan = { ...plan, columns: [column] };
  return { kind: 'embed', relation, plan: one, shows: 'values', many, type: many ? embedded : column.expression.type };
}

export const COUNT: Expression = { kind: 'count', type: builtIn('int8') };

export function aggregate(name: Aggregate, of: Expression): Expression {
  const type = name === 'count' || name === 'distinct' ? 'int8' : of.type.aggregates[name];
  if (type === undefined) throw undefinedFor(say`function ${name}(${of.type.title})`, 'function');
  return { kind: 'aggregate', function: name, of, type: builtIn(type) };
}

/** A field, or a figure of related rows. */
export function resolveTested(collection: Collection, path: FieldPath, embeds: Embeds): Expression {
  const { figure } = path;
  if (figure === undefined) {
    const of = resolvePath(collection, path);
    const source = sourceOf(of);
    // They are made for rows that are already chosen and in order.
    if (source === MARKED_TEXTS || source === COMPLETIONS) {
      throw new ApiError('PGRST127', 'search->highlight and search->words can be selected, not tested or ordered by', {
        hint: 'Name them in select, and order by search.',
      });
    }
    return of;
  }
  const { relation, to, where } = relatedRows(collection, figure.embed, embeds);
  const field = { name: path.name, json: path.json };
  const expression = field.name === '' ? COUNT : aggregate(figure.aggregate, resolvePath(to, field));
  return relatedValue(relation, { name: figure.aggregate, expression }, to, where);
}

/** The rows that a name leads to: those of an embedding of the request, with its conditions, or of any relation. */
export function relatedRows(
  collection: Collection,
  name: string,
  embeds: Embeds,
): { readonly relation: Relation; readonly to: Collection; readonly where: Predicate } {
  const embed = findEmbed(embeds, name);
  if (embed !== undefined) return { relation: embed.relation, to: embed.to, where: embed.plan.where };
  const relation = relate(collection, name, undefined);
  return { relation, to: collection.among.get(relation.to.name) ?? relation.to, where: ALWAYS };
}

/** A column of the related row, an aggregate of the related rows, or with `many` a list. */
export function relatedValue(
  relation: Relation,
  column: ReadPlan['columns'][number],
  to: Collection,
  where: Predicate,
  many = false,
): Expression {
  const plan: ReadPlan = { kind: 'read', from: stored(to), columns: [column], order: [], where, offset: 0 };
  return embeddedValues({ relation, plan, many }, column);
}

export function columnName({ alias, aggregate: figure, field }: Extract<SelectItem, { kind: 'column' }>): string {
  return alias ?? (figure === 'distinct' ? 'count' : figure) ?? nameOf(field);
}

/** The last step that is a name: an array element takes the name of its array. */
function nameOf({ name, json }: FieldPath): string {
  return json.findLast(({ key }) => !/^-?\d+$/.test(key))?.key ?? name;
}

/**
 * A row may repeat a name, and JSON readers take the last one. But a column that is selected by name must be unique.
 */
export function checkUnambiguous({ shown }: PlannedEmbed, names: readonly string[]): void {
  const unique = new Set<string>();
  const repeated = new Set<string>();
  for (const name of [...shown.named, ...shown.starred]) (unique.has(name) ? repeated : unique).add(name);
  const name = names.find((each) => repeated.has(each));
  if (name === undefined) return;
  throw new ApiError('42702', `column reference "${name}" is ambiguous`, {
    hint: `Give one of them another name: other:${name}.`,
  });
}

/** `*` in a list or beside aggregates means the names of all fields; otherwise it counts as one. */
export function namesShown(
  collection: Collection,
  select: readonly SelectItem[],
  embeds: Embeds,
  many: boolean,
): ShownNames {
  const isListed = many || select.some((item) => item.kind === 'count' || ('aggregate' in item && item.aggregate));
  const named: string[] = [];
  const starred: string[] = [];
  for (const item of select) {
    if (item.kind === 'all') (isListed ? named : starred).push(...collection.fields.map(({ name }) => name));
    else if (item.kind === 'count') named.push(item.alias ?? 'count');
    else if (item.kind === 'column') named.push(columnName(item));
    else {
      const { shown, plan } = embeds.get(item)!;
      if (item.spread) {
        named.push(...shown.named);
        (isListed ? named : starred).push(...shown.starred);
      } else if (plan.columns.length > 0) named.push(embedName(item));
    }
  }
  return { named, starred };
}
