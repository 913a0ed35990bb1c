/**
 * react-admin's data provider: `ra-data-postgrest`, with what is our own. Lists carry any condition of the dialect, a search
 * that was superseded is ended, and behind the last page comes the last page. Rows are saved by `save-row.ts`.
 */
import postgrestRestProvider, { defaultPrimaryKeys, type IDataProviderConfig } from '@raphiniert/ra-data-postgrest';
import { type DataProvider, HttpError } from 'react-admin';
import { readRow } from './api.ts';
import { collectionName, idOf, key } from './collection.ts';
import { type Ask, ask } from './http.ts';
import { orderKeys, pairsOf, queryText, sortKeysOf, sortOf } from './query.ts';
import { withTitles } from './references.ts';

const config: IDataProviderConfig = {
  apiUrl: '',
  httpClient: ask as IDataProviderConfig['httpClient'],
  defaultListOp: 'eq',
  primaryKeys: new Map([...defaultPrimaryKeys, [collectionName, [key.name]]]),
  schema: () => '',
};
/** More rows than anyone reads on a page; an address may ask for any number. */
const MOST_PER_PAGE = 1_000;

export const dataProvider: DataProvider = {
  ...postgrestRestProvider(config),
  supportAbortSignal: true,

  async getList(resource, { filter, pagination, sort, signal, ...params }) {
    const titles = withTitles === undefined ? [] : [`select=${withTitles}`];
    const conditions = [queryText(pairsOf(filter)), ...titles].filter((each) => each !== '');
    const httpClient = (url: string, options: Ask) => ask([url, ...conditions].join('&'), { ...options, signal });
    const lists = postgrestRestProvider({ ...config, httpClient: httpClient as IDataProviderConfig['httpClient'] });
    const place = placeOf(pagination, sort);
    const read = (page: number) =>
      lists.getList(resource, { ...params, ...place, pagination: { ...place.pagination, page }, filter: {} });
    try {
      return await read(place.pagination.page);
    } catch (error) {
      const total = totalBefore(error);
      if (total === undefined) throw error;
      return total === 0 ? { data: [], total } : read(Math.ceil(total / place.pagination.perPage));
    }
  },

  async getOne(_resource, { id, signal }) {
    return { data: (await readRow(idOf(id), signal)).row as never };
  },
};

interface Place {
  readonly pagination: { readonly page: number; readonly perPage: number };
  readonly sort: { readonly field: string; readonly order: 'ASC' | 'DESC' };
}

/** What an address says may be anything. */
function placeOf(pagination: Partial<Place['pagination']> = {}, sort: Partial<Place['sort']> = {}): Place {
  const { page = 1, perPage = 1 } = pagination;
  const keys = orderKeys(sortKeysOf(sort), { isListed: true });
  return {
    pagination: { page: whole(page, Number.MAX_SAFE_INTEGER / MOST_PER_PAGE), perPage: whole(perPage, MOST_PER_PAGE) },
    sort: keys.length === 0 ? { field: key.name, order: 'ASC' } : sortOf(keys),
  };
}

function whole(number: number, most: number): number {
  return Math.min(Math.max(1, Math.floor(Number(number)) || 1), Math.floor(most));
}

/** How many rows there are, where the page that was asked for lies behind them; the last one is shown then. */
function totalBefore(error: unknown): number | undefined {
  if (!(error instanceof HttpError) || error.status !== 416) return undefined;
  return Number(/only (\d+) rows/.exec(String(error.body?.details))?.[1] ?? 0);
}
