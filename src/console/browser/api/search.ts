/** The search box: the conditions that rows must meet to contain all words. */
import { type Collection, titleFieldOf } from './catalogue.ts';
import { escapeLike } from './filter-text.ts';

export function searchPairs(collection: Collection, text: string): readonly (readonly [string, string])[] {
  const title = titleFieldOf(collection);
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (title === undefined) return [];
  return words.map((word) => [title.name, `ilike.*${escapeLike(word)}*`] as const);
}
