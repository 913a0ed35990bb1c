/** Builds a catalogue from a validated draft. An error here is a bug, not a user's mistake. */
import { defined } from '../base/defined.ts';
import { memoize } from '../base/memo.ts';
import { declareRoles } from './access/roles.ts';
import type { Catalogue, Collection, Composite, Field, Reference } from './catalogue.ts';
import { CHANGES_NAME, CHANGES_RULES, changesOf } from './change-log.ts';
import { declareCollection } from './declare-collection.ts';
import type { CatalogueDraft } from './draft.ts';
import { FILES, FILES_NAME, servedFiles, withFiles } from './files.ts';
import { declareRoutines } from './routines.ts';

export type * from './catalogue.ts';
export { declareCollection, isAssigned } from './declare-collection.ts';

export function declareCatalogue(draft: CatalogueDraft): Catalogue {
  const collections = new Map<string, Collection>();
  const drafts = withFiles(draft.collections);
  // Requests see the collection of files without the fields that only the service uses.
  const among = drafts === draft.collections ? collections : new Map<string, Collection>();
  for (const each of drafts) {
    const collection = declareCollection(each, among, draft.maxValueBytes, draft.timeZone);
    collections.set(each.name, collection);
    if (among !== collections) among.set(each.name, each.name === FILES ? servedFiles(collection) : collection);
  }
  const changes = changesOf(collections);
  const builtIn = new Map([[CHANGES_NAME, changes]]);
  const files = among === collections ? undefined : among.get(FILES);
  if (files !== undefined) builtIn.set(FILES_NAME, files);
  return defined({
    collections,
    draft,
    builtIn,
    routines: declareRoutines(draft, collections),
    roles: draft.roles && declareRoles(draft.roles, new Map([[CHANGES_RULES, changes], ...collections])),
  });
}

/** The stored collection behind a role's view, or the collection itself. */
export function stored(collection: Collection): Collection {
  return collection.view?.of ?? collection;
}

/** The same catalogue with settings that a declaration does not contain. */
export function withSettings({ draft }: Catalogue, settings: CatalogueSettings): Catalogue {
  return declareCatalogue({ ...draft, ...settings });
}

export type CatalogueSettings = Pick<CatalogueDraft, 'maxValueBytes' | 'timeZone'>;

export function fieldNamed(collection: Collection, name: string): Field | undefined {
  return collection.byName.get(name) ?? collection.computed.get(name);
}

/** The fields that writes store; all of them, or without those that the database computes. */
export const writtenFields = memoize(({ fields }: Collection): readonly Field[] => {
  return fields.some(({ computed }) => computed) ? fields.filter(({ computed }) => computed === undefined) : fields;
});

export function isKey({ key }: Collection, field: Field): boolean {
  return key.some((each) => each.name === field.name);
}

/** The sets of fields that are unique together: the key, if there is one, and the others. */
export function uniqueSets({ key, unique }: Pick<Collection, 'key' | 'unique'>): readonly (readonly Field[])[] {
  return [...(key.length === 0 ? [] : [key]), ...unique.map(({ fields }) => fields)];
}

/** The fields of a reference, in the order of the key. */
export function fieldsOf(reference: Reference | Composite): readonly Field[] {
  return 'fields' in reference ? reference.fields : [reference.field];
}

/** The references of a collection, of one field and of several. */
export function allReferences({ references, composites }: Collection): readonly (Reference | Composite)[] {
  return composites.length === 0 ? references : [...references, ...composites];
}

/** All references to this collection, including its own. */
export function referencesTo(
  { collections }: Pick<Catalogue, 'collections'>,
  { name }: Collection,
): ((Reference | Composite) & { from: Collection })[] {
  return [...collections.values()].flatMap((from) =>
    allReferences(from)
      .filter((reference) => reference.to === name)
      .map((reference) => ({ ...reference, from })),
  );
}
