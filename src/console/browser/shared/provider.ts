/**
 * react-admin's data provider: `ra-data-postgrest`, with two things of our own. Lists carry any condition of the
 * dialect, and a row is read and written at its own URL, so that its version guards it against overwriting.
 */
import postgrestRestProvider, { defaultPrimaryKeys, type IDataProviderConfig } from '@raphiniert/ra-data-postgrest';
import type { DataProvider, UpdateParams } from 'react-admin';
import { HttpError } from 'react-admin';
import { type Changes, changeRow, deleteRows, readRow } from './api.ts';
import { type Cells, collectionName, type Id, idOf, key, type Record_ } from './collection.ts';
import { askAbout } from './conflict.ts';
import { ask } from './http.ts';
import { type Filter, pairsOf, queryText } from './query.ts';

const config: IDataProviderConfig = {
  apiUrl: '',
  httpClient: ask as IDataProviderConfig['httpClient'],
  defaultListOp: 'eq',
  primaryKeys: new Map([...defaultPrimaryKeys, [collectionName, [key.name]]]),
  schema: () => '',
};
const provider = postgrestRestProvider(config);

/** The version each row was last read in. */
const versions = new Map<Id, string>();

export const dataProvider: DataProvider = {
  ...provider,

  getList(resource, params) {
    const conditions = queryText(pairsOf((params.filter ?? {}) as Filter));
    const httpClient = (url: string, options: object) => ask(conditions === '' ? url : `${url}&${conditions}`, options);
    return postgrestRestProvider({ ...config, httpClient: httpClient as IDataProviderConfig['httpClient'] }).getList(
      resource,
      { ...params, filter: {} },
    );
  },

  async getOne(_resource, { id }) {
    const { row, version } = await readRow(idOf(id));
    versions.set(row.id, version);
    return { data: row as never };
  },

  async update(_resource, params) {
    return { data: (await updateRow(params as unknown as UpdateParams<Record_>)) as never };
  },

  async delete(_resource, { id }) {
    const [row] = await deleteRows([idOf(id)]);
    if (row === undefined) throw new HttpError('It was deleted already, by someone else.', 404);
    return { data: row as never };
  },
};

/** Asks again for as long as someone else is quicker. */
async function updateRow({ id: given, data, previousData }: UpdateParams<Record_>): Promise<Record_> {
  const id = idOf(given);
  let changes: Changes = changed(data as Cells, previousData);
  let version = versions.get(id) ?? (await readRow(id)).version;
  for (;;) {
    try {
      const saved = await changeRow(id, changes, version);
      versions.set(id, saved.version);
      return saved.row;
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 412) throw error;
    }
    const current = await readRow(id);
    versions.set(id, current.version);
    const decision = await askAbout({ id, mine: changes, base: previousData, theirs: current.row });
    if (decision === undefined || Object.keys(decision).length === 0) return current.row;
    changes = decision;
    version = current.version;
  }
}

function changed(data: Cells, previous: Cells): Changes {
  return Object.fromEntries(Object.entries(data).filter(([name, value]) => value !== previous[name]));
}
