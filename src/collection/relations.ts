/**
 * How the rows of one collection belong to those of another, by their references: read off the declaration in both directions,
 * and through a collection whose key holds a reference to each.
 */
import { oncePer } from '../once-per.ts';
import type { Collection, Field, Reference } from './declaration.ts';

export type Cardinality = 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many';

/** A row of `to` belongs to one of `from` where `inner` of it equals `outer`; or where a row of `through` has both. */
export interface Relation {
  readonly cardinality: Cardinality;
  readonly from: Collection;
  readonly to: Collection;
  readonly outer: Field;
  readonly inner: Field;
  /** The constraint that it comes from; of a collection in between, its name. */
  readonly name: string;
  /** The field that refers, on whichever side it is. */
  readonly referring: Field | undefined;
  readonly through?: {
    readonly collection: Collection;
    readonly near: Reference;
    readonly far: Reference;
  };
}

/** Whether a row has a list of these, or at most one. */
export function isMany({ cardinality }: Relation): boolean {
  return cardinality === 'one-to-many' || cardinality === 'many-to-many';
}

export function isSelf({ from, to }: Relation): boolean {
  return from.name === to.name;
}

/** All relations of a collection, its own and those of others to it; of one that a role sees, those that it can follow. */
export const relationsOf: (from: Collection) => readonly Relation[] = oncePer((from) => {
  if (from.view !== undefined) return relationsOf(from.view.of).filter((relation) => canFollow(from, relation));
  const collections = from.among;
  return [
    ...from.references.map((reference) => toOne(from, reference, collections.get(reference.to)!)),
    ...[...collections.values()].flatMap((to) => [
      ...to.references.filter(({ to: target }) => target === from.name).map((reference) => toMany(from, to, reference)),
      ...throughOf(from, to, collections),
    ]),
  ];
});

/** Every field that it goes by can be read. */
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

/** Collections between, with `collection` as the one in the middle. */
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

/** Whether no two rows have the same value. */
export function isUnique({ key, unique }: Collection, field: Field): boolean {
  const sets = [key, ...unique.map(({ fields }) => fields)];
  return sets.some((fields) => fields.length === 1 && fields[0] === field);
}
