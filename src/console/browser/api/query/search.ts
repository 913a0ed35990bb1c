/**
 * The search box: the declared search of the collection. Without one, each word must occur in the title, in a unique
 * text, as a tag, or in the title of a referenced row. That title needs an embedding without columns, which only
 * filters.
 */
import { isUnique } from '../../../../collection/relations.ts';
import { can } from '../../../../collection/types/type.ts';
import { type Collection, type Field, isText, referenceOf, titleFieldOf } from '../catalogue.ts';
import { escapeLike, printName, quoted } from './text.ts';

type Pair = readonly [name: string, value: string];

/** The column of a list that has the marked texts of a row, as HTML by the names of their fields. */
export const MARKS = '~marks';

/** The parameters of a search, and the parts of `select` that they need. */
export function searchParts(collection: Collection, text: string) {
  const pairs: Pair[] = [];
  const embeddings: string[] = [];
  const parts = { pairs, embeddings };
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return parts;
  if (collection.search !== undefined) {
    pairs.push(['search', `wfts.${text}`]);
    return parts;
  }
  const { texts, tags, references } = searchedFields(collection);
  const count = texts.length + tags.length + references.length;
  // No row contains the words. Without a condition, a write by this search would change all rows.
  if (count === 0) pairs.push([printName(collection.key[0]!.name), 'is.null']);
  else
    for (const [at, word] of words.entries()) {
      const pattern = `*${escapeLike(word)}*`;
      const aliasOf = (field: Field) => `find_${at}_${collection.fields.indexOf(field)}`;
      const terms = [
        ...texts.map(({ name }) => `${printName(name)}.ilike.${quoted(pattern)}`),
        ...tags.map(({ name }) => `${printName(name)}.cs.${quoted(`{${quoted(word)}}`)}`),
        ...references.map(({ field }) => `${aliasOf(field)}.not.is.null`),
      ];
      const [only] = count === 1 ? texts : [];
      pairs.push(only === undefined ? ['or', `(${terms.join(',')})`] : [printName(only.name), `ilike.${pattern}`]);
      for (const { field, title } of references) {
        pairs.push([`${aliasOf(field)}.${printName(title)}`, `ilike.${pattern}`]);
        embeddings.push(`${aliasOf(field)}:${printName(field.name)}()`);
      }
    }
  return parts;
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
