/** Trees: a collection that refers to itself. A reference leads from a row to the row above it. */
import { ApiError } from '../base/errors.ts';
import type { Collection, Field, Reference } from './declaration.ts';
import { stored } from './declaration.ts';
import { derivedName } from './derived-name.ts';
import { type Relation, relationsOf } from './relations.ts';

/** The relation from a field to the rows of a tree, and the field of these rows that leads to the row above. */
interface TreeField {
  readonly relation: Relation;
  readonly by: Field;
}

/**
 * The tree that a field belongs to: the field is the key of the tree, or refers to it. A reference of a collection to
 * itself is followed; otherwise the first one that the collection declares. Undefined if the role cannot read it.
 */
export function treeOf(collection: Collection, field: Field): TreeField | undefined {
  const reference = collection.references.find((each) => each.field === field);
  const isKey = collection.key.length === 1 && collection.key[0] === field;
  const tree = reference === undefined && isKey ? collection : collection.among.get(reference?.to ?? '');
  if (tree === undefined) return undefined;
  const isOwn = reference?.to === collection.name;
  const by = isOwn ? field : tree.references.find(({ to }) => to === tree.name)?.field;
  if (by === undefined) return undefined;
  const to = stored(tree);
  const relation: Relation | undefined =
    reference === undefined
      ? { cardinality: 'one-to-one', from: to, to, outer: field, inner: field, name: '', referring: undefined }
      : relationsOf(collection).find(({ name, outer }) => name === reference.name && outer === field);
  return relation && { relation, by };
}

/** The references that must not lead back to their own row. */
export function treeReferences({ name, references }: Collection): readonly Reference[] {
  return references.filter(({ to, circles }) => to === name && circles !== true);
}

/** An error names at most this many rows of a circle. */
const NAMED_ROWS = 10;

/** The keys of a circle. `parents` has the key of the row above each row that has one. */
export function findCircle(parents: ReadonlyMap<string, string>): readonly string[] | undefined {
  const checked = new Set<string>();
  for (const start of parents.keys()) {
    const path = new Set<string>();
    let key: string | undefined = start;
    while (key !== undefined && !checked.has(key)) {
      if (path.has(key)) return [...path].slice([...path].indexOf(key));
      path.add(key);
      key = parents.get(key);
    }
    for (const each of path) checked.add(each);
  }
  return undefined;
}

export function circleError({ name, key }: Collection, { field }: Reference, circle: readonly string[]): ApiError {
  const constraint = derivedName(name, field.name, 'circle');
  const shown = circle.length > NAMED_ROWS ? [...circle.slice(0, NAMED_ROWS), '…'] : circle;
  return new ApiError('23514', `new row for relation "${name}" violates check constraint "${constraint}"`, {
    details: `${field.name} would lead from a row back to itself: ${key[0]!.name} ${[...shown, circle[0]].join(' → ')}.`,
    hint: 'Choose a row that is not below the row itself.',
    constraint,
  });
}
