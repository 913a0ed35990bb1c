/** Validates the declared search of collections, when all collections are known. */
import { didYouMean } from '../base/nearest-name.ts';
import { Sentence, say } from '../base/sentence.ts';
import type { CollectionDraft, FieldDraft, SearchDraft } from '../collection/draft.ts';
import { SEARCH } from '../collection/search-fields.ts';
import { fieldTypeNamed } from '../collection/types/index.ts';
import { can } from '../collection/types/type.ts';
import type { GivenCollection } from './format.ts';
import type { Named } from './reader/maps.ts';
import { addMistake } from './reader/shape.ts';

/** Names of tables and triggers of the index are derived from that of the collection. */
const MAX_SEARCHED_NAME_BYTES = 40;

export function draftSearches(
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
): CollectionDraft[] {
  return drafts.map((draft) => {
    const { reading, value } = declared.find(({ name }) => name === draft.name)!;
    const search = value?.search;
    if (search === undefined) return draft;
    if (draft.key.length === 0) addMistake(reading, search.at, say`search needs a key`);
    if (Buffer.byteLength(draft.name) > MAX_SEARCHED_NAME_BYTES) {
      addMistake(reading, search.at, say`search needs a name of at most ${MAX_SEARCHED_NAME_BYTES} bytes`);
    }
    if (draft.fields.some(({ name }) => name === SEARCH)) {
      addMistake(reading, search.at, say`a field has the name search: rename it, since requests search by this name`);
    }
    const given = search.value.fields?.value ?? [];
    if (given.length === 0 && search.value.fields !== undefined)
      addMistake(reading, search.at, say`search has no fields`);
    const fields = given.flatMap(({ name, reading: at, value: weight = 1 }): SearchDraft['fields'] => {
      const path = pathOf(draft, drafts, name);
      if (path instanceof Sentence) return addMistake(at, at.at, path) ?? [];
      return [{ name, path, weight }];
    });
    return { ...draft, search: { language: search.value.language?.value ?? 'simple', fields } };
  });
}

/** The path of a text, or what is wrong with its name. */
function pathOf(
  draft: CollectionDraft,
  drafts: readonly CollectionDraft[],
  name: string,
): readonly string[] | Sentence {
  const own = draft.fields.find((field) => field.name === name);
  if (own !== undefined) return typeProblem(own, name) ?? [name];
  const dot = name.indexOf('.');
  if (dot === -1) return say`unknown field ${name}${didYouMean(name, namesOf(draft.fields))}`;
  const [first, second] = [name.slice(0, dot), name.slice(dot + 1)];
  const references = draft.fields.filter((field) => field.references !== undefined);
  const named = [first, `${first}_id`].flatMap((each) => references.filter((field) => field.name === each));
  const leading = references.filter((field) => field.references!.collection === first);
  const reference = named[0] ?? (leading.length === 1 ? leading[0] : undefined);
  if (reference === undefined)
    return say`${first} is not a reference of one row${didYouMean(first, namesOf(references))}`;
  const target = drafts.find((each) => each.name === reference.references!.collection);
  if (target === undefined) return say`unknown collection ${reference.references!.collection}`;
  const text = target.fields.find((field) => field.name === second);
  if (text === undefined)
    return say`unknown field ${second} of ${target.name}${didYouMean(second, namesOf(target.fields))}`;
  return typeProblem(text, name) ?? [reference.name, second];
}

function namesOf(fields: readonly FieldDraft[]): readonly string[] {
  return fields.map(({ name }) => name);
}

function typeProblem({ type }: FieldDraft, name: string): Sentence | undefined {
  const fieldType = fieldTypeNamed(type);
  const text = fieldType?.element ?? fieldType;
  if (text === undefined || can(text, 'text') || can(text, 'integer')) return undefined;
  return say`${name} is ${type}: search takes texts, whole numbers and lists of them`;
}
