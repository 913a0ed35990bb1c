/** Requests a bounded number of groups, however large the catalogue is. */
import { type KeyedRow, listPath } from '../shared/api/collection.ts';
import { ask } from '../shared/api/http.ts';
import { queryText } from '../shared/api/query.ts';

type Pairs = Parameters<typeof queryText>[0];

/** Largest number of groups in one answer. */
const FEW = 3_000;

/** Returns undefined if there are more rows than the page can use. */
export async function fewRows(pairs: Pairs, most = FEW): Promise<readonly KeyedRow[] | undefined> {
  const rows = await rowsOf([...pairs, ['limit', String(most + 1)]]);
  return rows.length > most ? undefined : rows;
}

export async function rowsOf(pairs: Pairs, path = listPath): Promise<readonly KeyedRow[]> {
  return (await ask(`${path}?${queryText(pairs)}`)).json as KeyedRow[];
}
