/**
 * The pseudo-fields of a search: the score of a row, its texts with marks, and its words that begin with the last word
 * of the search. They exist only in a searched list.
 */
import { memoize } from '../base/memo.ts';
import type { Collection, Field } from './catalogue.ts';
import { declareCollection } from './declare-collection.ts';

/** The name of the score in requests. */
export const SEARCH = 'search';

const { fields } = declareCollection({
  name: SEARCH,
  key: [SEARCH],
  fields: [
    { name: SEARCH, type: 'int4' },
    { name: 'search highlight', type: 'json' },
    { name: 'search words', type: 'text[]' },
    { name: 'search document', type: 'int4' },
  ],
});
export const SEARCH_FIELDS: ReadonlyMap<string, Field> = new Map(fields.map((field) => [field.name, field]));
export const [SCORE, MARKED_TEXTS, COMPLETIONS, DOCUMENT] = fields as [Field, Field, Field, Field];

/** Members of the score in requests: `search->highlight`. */
export const SEARCH_MEMBERS: ReadonlyMap<string, Field> = new Map([
  ['highlight', MARKED_TEXTS],
  ['words', COMPLETIONS],
]);

export function isOfSearch(field: Field | undefined): boolean {
  return field === SCORE || field === MARKED_TEXTS || field === COMPLETIONS;
}

/** The collection with the score, which is not part of `*`. */
export const searched = memoize(
  (collection: Collection): Collection => ({
    ...collection,
    computed: new Map([...collection.computed, [SEARCH, SCORE]]),
  }),
);
