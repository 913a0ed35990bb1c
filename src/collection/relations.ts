/** Relations between collections, from their references: in both directions, and through a join collection. */
import { memoize } from '../base/memo.ts';
import {
  allReferences,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Link,
  type Reference,
} from './declaration.ts';

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
  /** Further fields that must be equal, if a reference has several. */
  readonly also?: readonly Pair[];
  /** The constraint name, or the name of the join collection. */
  readonly name: string;
  /** The referencing field, on either side. */
  readonly referring: Field | undefined;
  /** Not enforced by a constraint. */
  readonly isLink?: true;
  /** The side that is a list, whose elements are compared with the other side. */
  readonly list?: 'outer' | 'inner';
  /** A function of this name returns the related rows, whatever their fields are. */
  readonly computedBy?: string;
  readonly through?: {
    readonly collection: Collection;
    readonly near: Joint;
    readonly far: Joint;
  };
}

type Pair = readonly [outer: Field, inner: Field];

/** The fields of a join collection that refer to the fields `targets` of another collection. */
interface Joint extends Pick<Composite, 'name' | 'fields' | 'to'> {
  readonly targets: readonly Field[];
}

/** The fields that a relation compares, as pairs; with a join collection, none of them. */
export function pairsOf({ outer, inner, also = [], through }: Relation): readonly Pair[] {
  return through === undefined ? [[outer, inner], ...also] : [];
}

/** Whether a row has a list of related rows rather than at most one. */
export function isMany({ cardinality }: Relation): boolean {
  return cardinality === 'one-to-many' || cardinality === 'many-to-many';
}

export function isSelf({ from, to }: Relation): boolean {
  return from.name === to.name;
}

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
  const isHere = ({ to }: { readonly to: string }) => to === from.name;
  return [
    ...allReferences(from).map((reference) => toOne(from, reference, collections.get(reference.to)!)),
    ...from.lists.map((reference) => listed(toOne(from, reference, collections.get(reference.to)!), 'outer')),
    ...[...collections.values()].flatMap((to) => [
      ...allReferences(to)
        .filter(isHere)
        .map((reference) => inverse(toOne(to, reference, from))),
      ...to.lists.filter(isHere).map((reference) => listed(inverse(toOne(to, reference, from)), 'inner')),
      ...throughOf(from, to, collections),
      ...to.links.filter(isHere).map((link) => inverse(linked(to, link, from))),
    ]),
    ...from.links.map((link) => linked(from, link, collections.get(link.to)!)),
  ];
});

/** Whether the role can read every field that the relation compares. */
function canFollow({ byName, among }: Collection, relation: Relation): boolean {
  const { to, through } = relation;
  const reads = (collection: Collection, field: Field) => among.get(collection.name)?.byName.has(field.name) === true;
  const has = ({ name }: Field) => byName.has(name);
  if (through === undefined) return pairsOf(relation).every(([outer, inner]) => has(outer) && reads(to, inner));
  const joining = [...through.near.fields, ...through.far.fields];
  return (
    through.near.targets.every(has) &&
    through.far.targets.every((field) => reads(to, field)) &&
    joining.every((field) => reads(through.collection, field))
  );
}

function toOne(from: Collection, reference: Reference | Composite, to: Collection): Relation {
  const pairs = fieldsOf(reference).map((field, at): Pair => [field, to.key[at]!]);
  return comparing(from, to, pairs, reference.name);
}

function listed(relation: Relation, list: 'outer' | 'inner'): Relation {
  return { ...relation, cardinality: 'many-to-many', list };
}

function linked(from: Collection, { name, fields, targets }: Link, to: Collection): Relation {
  const pairs = fields.map((field, at): Pair => [field, to.byName.get(targets[at]!)!]);
  return { ...comparing(from, to, pairs, name), isLink: true };
}

function comparing(from: Collection, to: Collection, pairs: readonly Pair[], name: string): Relation {
  const [[outer, inner], ...also] = pairs as readonly [Pair, ...Pair[]];
  const isOne = isUnique(from, ...pairs.map(([field]) => field));
  const cardinality = isOne ? 'one-to-one' : 'many-to-one';
  return { cardinality, from, to, outer, inner, also, name, referring: outer };
}

/** The same relation, seen from the other side. */
function inverse(relation: Relation): Relation {
  const { from, to, outer, inner, also = [], cardinality } = relation;
  return {
    ...relation,
    ...{ from: to, to: from, outer: inner, inner: outer, also: also.map(([one, other]): Pair => [other, one]) },
    cardinality: cardinality === 'one-to-one' ? cardinality : 'one-to-many',
  };
}

/** The relations through `collection` as the join collection. */
function throughOf(from: Collection, collection: Collection, collections: ReadonlyMap<string, Collection>): Relation[] {
  // A role may not see the collection that is referred to.
  const keyOf = (to: string) => collections.get(to)?.key ?? [];
  const joints: readonly Joint[] = [
    ...allReferences(collection).map((each) => ({ ...each, fields: fieldsOf(each), targets: keyOf(each.to) })),
    ...collection.links.map(({ name, fields, to, targets }) => {
      return { name, fields, to, targets: targets.map((target) => collections.get(to)!.byName.get(target)!) };
    }),
  ];
  const held = joints.filter(({ fields }) => fields.every((field) => collection.key.includes(field)));
  return held
    .filter(({ to }) => to === from.name)
    .flatMap((near) =>
      held
        .filter((far) => far !== near && far.name !== near.name)
        .map((far): Relation => {
          const to = collections.get(far.to)!;
          return {
            cardinality: 'many-to-many',
            from,
            to,
            outer: near.targets[0]!,
            inner: far.targets[0]!,
            name: collection.name,
            referring: undefined,
            through: { collection, near, far },
          };
        }),
    );
}

/** Whether the fields are unique together. */
export function isUnique({ key, unique }: Collection, ...fields: readonly Field[]): boolean {
  const sets = [key, ...unique.map((set) => set.fields)];
  return sets.some((set) => set.length === fields.length && set.every((field) => fields.includes(field)));
}
