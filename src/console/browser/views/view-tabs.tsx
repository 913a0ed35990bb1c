/** The stored views of a collection, as tabs. */
import type { ListQuery } from '../api/list.ts';

export function ViewTabs(_props: { readonly query: ListQuery }) {
  return null;
}
