/**
 * Plans facets: the number of rows for each value of a field. A facet ignores the conditions on its own field, so that
 * it shows the alternatives to a chosen value.
 */
import { defined } from '../../base/defined.ts';
import { ApiError } from '../../base/errors.ts';
import { type Collection, type Field, stored } from '../../collection/declaration.ts';
import { isMany, relationsOf } from '../../collection/relations.ts';
import { MARKED_TEXTS } from '../../collection/search-fields.ts';
import { treeOf } from '../../collection/tree.ts';
import { can, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { FacetTerm, Query } from '../../dialect/tree.ts';
import { planConditions, readValue } from '../predicate.ts';
import { fieldExpression, resolvePath } from '../resolve.ts';
import {
  ALWAYS,
  conjuncts,
  type Expression,
  type Facet,
  type Facets,
  fieldOf,
  type Predicate,
  sourceOf,
  type TreeWay,
  testsIn,
} from '../types.ts';
import { type Embeds, embedName, existsPredicate, type PlannedEmbed, relatedRows, relatedValue } from './embeds.ts';
import { sameExpression } from './shape.ts';

type FacetsQuery = Pick<Query, 'conditions'> & { readonly facets: readonly FacetTerm[] };

/** A facet, and whether a condition is its own. */
interface PlannedFacet {
  readonly facet: Omit<Facet, 'ignores'>;
  readonly owns: (condition: Predicate) => boolean;
}

export function planFacets(collection: Collection, { conditions, facets }: FacetsQuery, embeds: Embeds): Facets {
  checkNames(facets);
  // The pages of a list have the same facets.
  const filters = conditions.filter((condition) => condition.kind !== 'group' || condition.after !== true);
  const inner = new Map([...embeds].filter(([item]) => item.inner).map(([item, embed]) => [embedName(item), embed]));
  const required = new Map([...inner.values()].map((embed) => [existsPredicate(embed), embed]));
  const terms = [...conjuncts(planConditions(collection, filters, embeds)), ...required.keys()];
  const planned = facets.map((term) => planFacet(collection, term, embeds, inner, required));
  const owned = terms.filter((term) => planned.some(({ owns }) => owns(term)));
  return {
    where: { kind: 'all', terms: terms.filter((term) => !owned.includes(term)) },
    conditions: owned,
    list: planned.map(({ facet, owns }) => ({
      ...facet,
      ignores: owned.flatMap((term, index) => (owns(term) ? index : [])),
    })),
  };
}

function checkNames(terms: readonly FacetTerm[]): void {
  const names = terms.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new ApiError('PGRST100', `facets names ${repeated} more than once`);
}

function planFacet(
  collection: Collection,
  term: FacetTerm,
  embeds: Embeds,
  inner: ReadonlyMap<string, PlannedEmbed>,
  required: ReadonlyMap<Predicate, PlannedEmbed>,
): PlannedFacet {
  const { embed: name, field } = term;
  if (name === undefined) {
    const of = resolvePath(collection, field);
    if (sourceOf(of) === MARKED_TEXTS) throw new ApiError('PGRST127', 'search->highlight has no values to count');
    return { facet: shapeOf(collection, term, of, of), owns: (condition) => testsOnly(condition, of) };
  }
  const embed = inner.get(name);
  const { relation, to } = relatedRows(collection, name, embeds);
  if (relation.computedBy !== undefined) {
    throw new ApiError('PGRST127', `facets cannot follow ${name}, which a function computes`);
  }
  const value = resolvePath(to, field);
  // Related rows satisfy the other conditions of their embedding.
  const rest = conjuncts(embed?.plan.where ?? ALWAYS).filter((condition) => !testsOnly(condition, value));
  const of = relatedValue(
    relation,
    { name: field.name, expression: value },
    to,
    { kind: 'all', terms: rest },
    isMany(relation),
  );
  return {
    facet: shapeOf(to, term, of, value),
    owns: (condition) => embed !== undefined && required.get(condition) === embed,
  };
}

/** `value` is the expression of the collection that has the field. */
function shapeOf(collection: Collection, term: FacetTerm, of: Expression, value: Expression): PlannedFacet['facet'] {
  const { name, limits, within } = term;
  const type = countedType(value.type);
  const field = fieldOf(value);
  const tree = within === true ? treeWay(collection, field) : undefined;
  const isReference = stored(collection).references.some((reference) => reference.field === field);
  const bounds = can(type, 'number') && !isReference;
  if (limits !== undefined) return { name, of, bounds, limits: readLimits(name, type, limits) };
  const title = field && titleOf(collection, field);
  return { name, of, bounds, ...defined({ title, tree }) };
}

function treeWay(collection: Collection, field: Field | undefined): TreeWay {
  const tree = field && treeOf(collection, field);
  if (tree !== undefined) return { ...tree, where: ALWAYS };
  throw new ApiError('42883', 'within counts along a tree', {
    hint: 'Use it on a field that refers to a collection which refers to itself.',
  });
}

/** The elements of an array are counted, not the array. */
export function countedType(type: Type): Type {
  return type.element ?? type;
}

function readLimits(name: string, type: Type, texts: readonly string[]): readonly Value[] {
  if (!can(type, 'number') && type.moving === undefined) {
    throw new ApiError('42883', `${name} is of type ${type.title}, which has no ranges`, {
      hint: 'Ranges are for numbers, dates and times.',
    });
  }
  const values = texts.map((text) => readValue({ name, type }, text));
  const keys = values.map((value) => type.key(value));
  const wrong = keys.findIndex((key, index) => index > 0 && keys[index - 1]! >= key);
  if (wrong === -1) return values;
  throw new ApiError('PGRST100', `the limits of ${name} are not in ascending order: ${texts.join(', ')}`, {
    hint: `${texts[wrong]} must be greater than ${texts[wrong - 1]}.`,
  });
}

/** The title of the row that a field refers to, if the caller may read it. */
function titleOf(collection: Collection, field: Field): Expression | undefined {
  const relation = relationsOf(collection).find(
    ({ outer, referring, through, list, also = [] }) =>
      outer === field && referring === field && through === undefined && list === undefined && also.length === 0,
  );
  const to = relation && collection.among.get(relation.to.name);
  const title = to && titleField(to);
  if (relation === undefined || to === undefined || title === undefined) return undefined;
  return relatedValue(relation, { name: title.name, expression: fieldExpression(title) }, to, ALWAYS);
}

/** The field that names a row for people: the declared one, else the first required text. */
function titleField({ fields, key }: Collection): Field | undefined {
  const isName = ({ type, required, rules }: Field) => can(type, 'text') && required && rules.oneOf === undefined;
  return fields.find(({ role }) => role === 'title') ?? fields.find((each) => isName(each) && !key.includes(each));
}

/** Whether a condition depends on nothing but this value. */
function testsOnly(condition: Predicate, of: Expression): boolean {
  if (condition.kind === 'constant') return false;
  return testsIn(condition).every((test) => {
    if (test.kind === 'exists') return test.tree !== undefined && test.relation.outer === fieldOf(of);
    return test.kind === 'constant' || sameExpression(test.of, of);
  });
}
