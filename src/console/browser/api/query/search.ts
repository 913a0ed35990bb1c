/**
 * The search box: the declared search of the collection. Without one, each word must occur in the title, in a unique
 * text, as a tag, or in the title of a referenced row. That title needs an embedding without columns, which only
 * filters.
 */
import { isUnique } from '../../../../collection/relations.ts';
import { can } from '../../../../collection/types/type.ts';
import { type Collection, type Field, isText, referenceOf, titleFieldOf } from '../catalogue.ts';
import { escapeLike, printName, quoted } from './filter-text.ts';

type Pair = readonly [name: string, value: string];

interface SearchParts {
  readonly pairs: readonly Pair[];
  /** Parts of `select` that the parameters need. */
  readonly embeddings: readonly string[];
}

/** The column of a list that has the marked texts of a row, as HTML by the names of their fields. */
export const MARKS = '~marks';

const NONE: SearchParts = { pairs: [], embeddings: [] };

export function searchParts(collection: Collection, text: string): SearchParts {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return NONE;
  if (collection.search !== undefined) return { pairs: [['search', `wfts.${text}`]], embeddings: [] };
  const { texts, tags, references } = searchedFields(collection);
  // No row contains the words. Without a condition, a write by this search would change all rows.
  if (texts.length + tags.length + references.length === 0) {
    return { pairs: [[printName(collection.key[0]!.name), 'is.null']], embeddings: [] };
  }
  const isSimple = texts.length === 1 && tags.length === 0 && references.length === 0;
  const parts = words.map((word, at): SearchParts => {
    const pattern = `*${escapeLike(word)}*`;
    if (isSimple) return { pairs: [[printName(texts[0]!.name), `ilike.${pattern}`]], embeddings: [] };
    const aliasOf = (field: Field) => `find_${at}_${collection.fields.indexOf(field)}`;
    const terms = [
      ...texts.map(({ name }) => `${printName(name)}.ilike.${quoted(pattern)}`),
      ...tags.map(({ name }) => `${printName(name)}.cs.${quoted(`{${quoted(word)}}`)}`),
      ...references.map(({ field }) => `${aliasOf(field)}.not.is.null`),
    ];
    return {
      pairs: [
        ['or', `(${terms.join(',')})`],
        ...references.map(({ field, title }): Pair => [`${aliasOf(field)}.${printName(title)}`, `ilike.${pattern}`]),
      ],
      embeddings: references.map(({ field }) => `${aliasOf(field)}:${printName(field.name)}()`),
    };
  });
  return {
    pairs: parts.flatMap(({ pairs }) => pairs),
    embeddings: parts.flatMap(({ embeddings }) => embeddings),
  };
}

function searchedFields(collection: Collection) {
  const title = titleFieldOf(collection);
  const isReference = (field: Field) => referenceOf(collection, field) !== undefined;
  return {
    texts: collection.fields.filter(
      (field) => field === title || (isText(field) && isUnique(collection, field) && !isReference(field)),
    ),
    tags: collection.fields.filter(({ type }) => type.element !== undefined && can(type.element, 'text')),
    references: collection.references.flatMap(({ field }) => {
      const other = referenceOf(collection, field);
      const name = other && titleFieldOf(other)?.name;
      return name === undefined ? [] : [{ field, title: name }];
    }),
  };
}
