/** The pseudo-fields of a search: the score of a row, and its texts with marks. They exist only in a searched list. */
import { memoize } from '../base/memo.ts';
import type { Collection, Field } from './catalogue.ts';
import { declareCollection } from './declare-collection.ts';

/** The name of the score in requests. */
export const SEARCH = 'search';
/** The member of it that has the marked texts: `search->highlight`. */
export const HIGHLIGHT = 'highlight';

const { fields } = declareCollection({
  name: SEARCH,
  key: [SEARCH],
  fields: [
    { name: SEARCH, type: 'int4' },
    { name: 'search highlight', type: 'json' },
    { name: 'search document', type: 'int4' },
  ],
});
export const [SCORE, MARKED_TEXTS, DOCUMENT] = fields as [Field, Field, Field];

export function isOfSearch(field: Field | undefined): boolean {
  return field === SCORE || field === MARKED_TEXTS;
}

/** The collection with the score, which is not part of `*`. */
export const searched = memoize(
  (collection: Collection): Collection => ({
    ...collection,
    computed: new Map([...collection.computed, [SEARCH, SCORE]]),
  }),
);
