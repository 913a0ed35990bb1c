/** Relations between collections, from their references: in both directions, and through a join collection. */
import { memoize } from '../base/memo.ts';
import type { Collection, Field, Link, Reference } from './declaration.ts';

type Cardinality = 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many';

/**
 * A row of `to` belongs to a row of `from` if its `inner` equals `outer`, if one is an element of the other, or if a
 * row of `through` matches both.
 */
export interface Relation {
  readonly cardinality: Cardinality;
  readonly from: Collection;
  readonly to: Collection;
  readonly outer: Field;
  readonly inner: Field;
  /** The constraint name, or the name of the join collection. */
  readonly name: string;
  /** The referencing field, on either side. */
  readonly referring: Field | undefined;
  /** Not enforced by a constraint. Only the name of its collection names it. */
  readonly isLink?: true;
  /** The side that is a list, whose elements are compared with the other side. */
  readonly list?: 'outer' | 'inner';
  /** A function of this name returns the related rows, whatever their fields are. */
  readonly computedBy?: string;
  readonly through?: {
    readonly collection: Collection;
    readonly near: Reference;
    readonly far: Reference;
  };
}

/** Whether a row has a list of related rows rather than at most one. */
export function isMany({ cardinality }: Relation): boolean {
  return cardinality === 'one-to-many' || cardinality === 'many-to-many';
}

export function isSelf({ from, to }: Relation): boolean {
  return from.name === to.name;
}

/** The relation that a function computes. */
export const computedRelation: (from: Collection) => (name: string) => Relation | undefined = memoize((from) => {
  const all = from.computedReferences.map(({ name, to: target, many }): [string, Relation] => {
    const to = (from.view?.of ?? from).among.get(target)!;
    const cardinality = many ? 'one-to-many' : 'many-to-one';
    const [outer, inner] = [from.fields[0]!, to.key[0] ?? to.fields[0]!];
    return [name, { cardinality, from, to, outer, inner, name, referring: undefined, computedBy: name }];
  });
  const byName = new Map(all);
  return (name) => byName.get(name);
});

/** All relations of a collection in both directions; for a role's view, those that the role can follow. */
export const relationsOf: (from: Collection) => readonly Relation[] = memoize((from) => {
  if (from.view !== undefined) return relationsOf(from.view.of).filter((relation) => canFollow(from, relation));
  const collections = from.among;
  return [
    ...from.references.map((reference) => toOne(from, reference, collections.get(reference.to)!)),
    ...from.lists.map((reference) => listed(toOne(from, reference, collections.get(reference.to)!), 'outer')),
    ...[...collections.values()].flatMap((to) => [
      ...to.references.filter(({ to: target }) => target === from.name).map((reference) => toMany(from, to, reference)),
      ...to.lists
        .filter(({ to: target }) => target === from.name)
        .map((reference) => listed(toMany(from, to, reference), 'inner')),
      ...throughOf(from, to, collections),
      ...to.links.filter(({ to: target }) => target === from.name).map((link) => linkedToMany(from, to, link)),
    ]),
    ...from.links.map((link) => linkedToOne(from, link, collections.get(link.to)!)),
  ];
});

/** Whether the role can read every field that the relation compares. */
function canFollow({ byName, among }: Collection, { outer, to, inner, through }: Relation): boolean {
  const reads = (collection: Collection, field: Field) => among.get(collection.name)?.byName.has(field.name) === true;
  if (!byName.has(outer.name) || !reads(to, inner)) return false;
  return (
    through === undefined ||
    (reads(through.collection, through.near.field) && reads(through.collection, through.far.field))
  );
}

function toOne(from: Collection, reference: Reference, to: Collection): Relation {
  const { name, field } = reference;
  const cardinality = isUnique(from, field) ? 'one-to-one' : 'many-to-one';
  return { cardinality, from, to, outer: field, inner: to.key[0]!, name, referring: field };
}

function toMany(from: Collection, to: Collection, { name, field }: Reference): Relation {
  const cardinality = isUnique(to, field) ? 'one-to-one' : 'one-to-many';
  return { cardinality, from, to, outer: from.key[0]!, inner: field, name, referring: field };
}

function listed(relation: Relation, list: 'outer' | 'inner'): Relation {
  return { ...relation, cardinality: 'many-to-many', list };
}

function linkedToOne(from: Collection, { name, field, target }: Link, to: Collection): Relation {
  const cardinality = isUnique(from, field) ? 'one-to-one' : 'many-to-one';
  return { cardinality, from, to, outer: field, inner: to.byName.get(target)!, name, referring: field, isLink: true };
}

function linkedToMany(from: Collection, to: Collection, { name, field, target }: Link): Relation {
  const cardinality = isUnique(to, field) ? 'one-to-one' : 'one-to-many';
  return { cardinality, from, to, outer: from.byName.get(target)!, inner: field, name, referring: field, isLink: true };
}

/** The relations through `collection` as the join collection. */
function throughOf(from: Collection, collection: Collection, collections: ReadonlyMap<string, Collection>): Relation[] {
  const held = collection.references.filter(({ field }) => collection.key.includes(field));
  return held
    .filter(({ to }) => to === from.name)
    .flatMap((near) =>
      held
        .filter((far) => far !== near)
        .map((far): Relation => {
          const to = collections.get(far.to)!;
          return {
            cardinality: 'many-to-many',
            from,
            to,
            outer: from.key[0]!,
            inner: to.key[0]!,
            name: collection.name,
            referring: undefined,
            through: { collection, near, far },
          };
        }),
    );
}

/** Whether the field's values are unique. */
export function isUnique({ key, unique }: Collection, field: Field): boolean {
  const sets = [key, ...unique.map(({ fields }) => fields)];
  return sets.some((fields) => fields.length === 1 && fields[0] === field);
}
