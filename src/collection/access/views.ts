/** The catalogue as a role sees it: the collections and fields on which it has a right. */
import { defined } from '../../base/defined.ts';
import type { Catalogue, Collection, Field, RightsRules, Role, Routine, Rule } from '../catalogue.ts';
import { CHANGES_NAME } from '../change-log.ts';
import { type CollectionDraft, type LinkDraft, RIGHTS } from '../draft.ts';
import { FILES, FILES_NAME, filesForRole, isInternal } from '../files.ts';

/** The collections that the role can read: embeddings and references may lead to them. */
type Readable = ReadonlyMap<string, Collection>;

export function viewOf(catalogue: Catalogue, role: Role): Catalogue {
  const readable = new Map<string, Collection>();
  const collections = new Map<string, Collection>();
  const log = catalogue.builtIn.get(CHANGES_NAME)!;
  const names = [...role.rules].filter(([of, { read }]) => of !== log && read.length > 0).map(([{ name }]) => name);
  const files = catalogue.builtIn.get(FILES_NAME);
  const readsFiles = files !== undefined && [...role.rules].some(([of, { read }]) => readsFile(of, read));
  if (readsFiles) names.push(FILES);
  for (const of of catalogue.collections.values()) {
    const rules = role.rules.get(of);
    if (rules === undefined) continue;
    const view = viewOfCollection(of, rules, role, { names, readable });
    collections.set(of.name, view);
    if (names.includes(of.name)) readable.set(of.name, view);
  }
  // The log of the collections that the role may read, if the role may read the log.
  const logRules = role.rules.get(log) ?? NO_RULES;
  const builtIn = new Map([
    [CHANGES_NAME, viewOfCollection(log, logRules, role, { names: [], readable: new Map(readable) })],
  ]);
  if (readsFiles) {
    // Embeddings lead from a file only to rows, and by fields, that the role may read.
    const view: Collection = {
      ...filesForRole(files),
      among: readable,
      view: { role: role.name, of: files, rights: ['read'], readsAll: false },
    };
    readable.set(FILES, view);
    builtIn.set(FILES_NAME, view);
  }
  return {
    collections,
    builtIn,
    ...routinesOf(catalogue, role, readable),
    closed: new Set([...catalogue.collections.keys()].filter((name) => !collections.has(name))),
    draft: { collections: [...collections.values()].map(({ draft }) => draft) },
  };
}

const NO_RULES: RightsRules = { read: [], create: [], update: [], delete: [] };

/** The routines that the role may call. They read what the role may read. */
function routinesOf(
  { routines }: Catalogue,
  { call }: Role,
  readable: Readable,
): Pick<Catalogue, 'routines' | 'closedRoutines'> {
  const open = new Map<string, readonly Routine[]>();
  for (const [name, all] of routines) {
    const views = all.flatMap((each) => viewOfRoutine(each, readable) ?? []);
    if (call.has(name) && views.length > 0) open.set(name, views);
  }
  return { routines: open, closedRoutines: new Set([...routines.keys()].filter((name) => !open.has(name))) };
}

/** Undefined if the role may not read its result. */
function viewOfRoutine(routine: Routine, readable: Readable): Routine | undefined {
  if (routine.kind === 'query') {
    const collection = readable.get(routine.collection.name);
    return collection && { ...routine, collection };
  }
  // An action has the rights of the declaration.
  if (routine.kind === 'action') return routine;
  const { returns } = routine;
  if (returns === undefined || !returns.isDeclared) return routine;
  const collection = readable.get(returns.collection.name);
  return collection && { ...routine, returns: { ...returns, collection } };
}

/** Whether the rules allow a field that refers to a file. */
function readsFile({ references, lists }: Collection, rules: readonly Rule[]): boolean {
  return [...references, ...lists].some(
    ({ to, field }) => to === FILES && rules.some(({ fields }) => fields.has(field)),
  );
}

interface Neighbours {
  readonly names: readonly string[];
  /** Filled after all views exist. */
  readonly readable: Readable;
}

function viewOfCollection(
  of: Collection,
  rules: RightsRules,
  { name: role }: Role,
  neighbours: Neighbours,
): Collection {
  const rights = RIGHTS.filter((right) => rules[right].length > 0);
  // Comments are visible only with their rows.
  const readsAll =
    of.draft.commentsOn === undefined &&
    rules.read.some(({ where, fields }) => where === undefined && fields.size === of.fields.length);
  const written = (some: readonly Rule[]): Collection | undefined =>
    some.length === 0 ? undefined : { ...withNamed(of, some, neighbours), view: { role, of, rights, readsAll } };
  return {
    ...withFields(of, rules.read, neighbours),
    view: defined({ role, of, rights, readsAll, creates: written(rules.create), updates: written(rules.update) }),
  };
}

/** `*` means the fields that every rule allows. Fields that only some rules allow can be named. */
function withFields(of: Collection, rules: readonly Rule[], { names, readable }: Neighbours): Collection {
  const isCommon = (field: Field) => rules.length > 0 && rules.every(({ fields }) => fields.has(field));
  const isInSomeRule = (field: Field) => rules.some(({ fields }) => fields.has(field));
  const fields = of.fields.filter(isCommon);
  return {
    ...of,
    fields: fields.length === of.fields.length ? of.fields : fields,
    byName: new Map(of.fields.filter(isInSomeRule).map((field) => [field.name, field])),
    unique: of.unique.filter((set) => set.fields.every(isInSomeRule)),
    references: of.references.filter(({ field, to }) => isInSomeRule(field) && names.includes(to)),
    lists: of.lists.filter(({ field, to }) => isInSomeRule(field) && names.includes(to)),
    composites: of.composites.filter(({ fields, to }) => fields.every(isInSomeRule) && names.includes(to)),
    links: of.links.filter(({ fields, to }) => fields.every(isInSomeRule) && names.includes(to)),
    // A function of a row reads all of its fields.
    ...(rules.length > 0 && fields.length === of.fields.length
      ? { computedReferences: of.computedReferences.filter(({ to }) => names.includes(to)) }
      : { computed: new Map(), computedReferences: [] }),
    among: readable,
    draft: draftOf(of.draft, fields, names),
  };
}

/** A role may write the fields that any of its rules allows. */
function withNamed(of: Collection, rules: readonly Rule[], neighbours: Neighbours): Collection {
  const collection = withFields(of, rules, neighbours);
  return { ...collection, fields: of.fields.filter(({ name }) => collection.byName.has(name)) };
}

function draftOf(draft: CollectionDraft, fields: readonly Field[], names: readonly string[]): CollectionDraft {
  const isShown = (name: string) => fields.some((field) => field.name === name);
  const isExpressionShown = (name: string) =>
    fields.some((field) => field.name === name && field.computed?.uses.every(isShown));
  const { rows: _, unique, references: links, search, ...rest } = draft;
  // Without paths, which name fields of other collections.
  const searched = search?.fields.filter(({ path }) => path.length === 1 && isShown(path[0]!)) ?? [];
  const isLinkShown = (link: LinkDraft) => link.fields.every(isShown) && names.includes(link.collection);
  return {
    ...rest,
    ...(searched.length === 0 ? {} : { search: { ...search!, fields: searched } }),
    ...(links === undefined ? {} : { references: links.filter(isLinkShown) }),
    fields: draft.fields
      .filter(({ name }) => isShown(name))
      .map(({ references, computed, ...field }) => ({
        ...field,
        ...(computed !== undefined && isExpressionShown(field.name) ? { computed } : {}),
        ...(references === undefined || isInternal(references.collection) || !names.includes(references.collection)
          ? {}
          : { references }),
      })),
    ...(unique === undefined ? {} : { unique: unique.filter((set) => set.every(isShown)) }),
  };
}

/** Whether the caller may change any rows. */
export function mayWriteAny({ collections }: Catalogue): boolean {
  return [...collections.values()].some(({ view }) => view?.rights.some((right) => right !== 'read') ?? true);
}
