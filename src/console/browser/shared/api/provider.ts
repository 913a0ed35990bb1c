/**
 * react-admin's data provider, as far as the console uses it: lists with any condition of the dialect, and rows. A
 * superseded search is aborted. A page beyond the end shows the last page. `save-row.ts` saves rows.
 */
import type { DataProvider } from 'react-admin';
import { withTitles } from '../values/references.ts';
import { readRow, withId } from './api.ts';
import { idOf, type KeyedRow, key, listPath } from './collection.ts';
import { ask, countIn, type Problem } from './http.ts';
import { HttpError } from './http-error.ts';
import { type Filter, orderKeys, pairsOf, queryText, type SortKey, sortKeysOf } from './query.ts';

/** Largest page size; an address may contain any number. */
const MAX_PER_PAGE = 1_000;

const provider: Pick<DataProvider, 'getList' | 'getOne' | 'supportAbortSignal'> = {
  supportAbortSignal: true,

  async getList(_resource, { filter, pagination, sort, signal }) {
    const place = placeOf(pagination, sort);
    const read = (page: number) => readPage(filter as Filter, { ...place, page }, signal);
    try {
      return (await read(place.page)) as never;
    } catch (error) {
      const total = totalBefore(error);
      if (total === undefined) throw error;
      return (total === 0 ? { data: [], total } : await read(Math.ceil(total / place.perPage))) as never;
    }
  },

  async getOne(_resource, { id, signal }) {
    return { data: (await readRow(idOf(id), signal)).row as never };
  },
};
export const dataProvider = provider as DataProvider;

interface Place {
  readonly page: number;
  readonly perPage: number;
  readonly keys: readonly SortKey[];
}

interface Page {
  readonly data: readonly KeyedRow[];
  readonly total: number;
}

async function readPage(filter: Filter, { page, perPage, keys }: Place, signal?: AbortSignal): Promise<Page> {
  const order = keys.map((each) => `${each.name}.${each.order.toLowerCase()}`).join(',');
  const parts = [
    `offset=${(page - 1) * perPage}&limit=${perPage}&order=${order}`,
    queryText(pairsOf(filter)),
    ...(withTitles === undefined ? [] : [`select=${withTitles}`]),
  ];
  const url = `${listPath}?${parts.filter((part) => part !== '').join('&')}`;
  const { json, headers } = await ask(url, { headers: { prefer: 'count=exact' }, signal });
  return { data: (json as KeyedRow[]).map(withId), total: countIn(headers) };
}

interface ListParams {
  readonly pagination?: { readonly page?: number; readonly perPage?: number } | undefined;
  readonly sort?: { readonly field?: string; readonly order?: string } | undefined;
}

/** Validates pagination and sort order, since an address may contain anything. */
function placeOf(pagination: ListParams['pagination'] = {}, sort: ListParams['sort'] = {}): Place {
  const { page = 1, perPage = 1 } = pagination;
  const keys = orderKeys(sortKeysOf(sort), { isListed: true });
  return {
    page: whole(page, Number.MAX_SAFE_INTEGER / MAX_PER_PAGE),
    perPage: whole(perPage, MAX_PER_PAGE),
    keys: keys.length === 0 ? [{ name: key.name, order: 'ASC' }] : keys,
  };
}

function whole(number: number, most: number): number {
  return Math.min(Math.max(1, Math.floor(Number(number)) || 1), Math.floor(most));
}

/** The total from a 416 answer, if the requested page is beyond the end. */
function totalBefore(error: unknown): number | undefined {
  if (!(error instanceof HttpError) || error.status !== 416) return undefined;
  return Number(/only (\d+) rows/.exec(String((error.body as Problem | undefined)?.details))?.[1] ?? 0);
}
