/** Checks uploaded files: the bytes of each, wherever they are, and the lists that refer to them. */
import { amount } from '../../base/amount.ts';
import type { Catalogue, Collection, Field } from '../../collection/declaration.ts';
import { FILES_NAME, served } from '../../collection/files.ts';
import { loadCatalogue } from '../../declare/load-catalogue.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Finding, Maintenance } from '../../engine/shared/maintenance.ts';
import { checkContents } from '../../files/storage/transfer.ts';
import { planRead } from '../../plan/read/read.ts';
import { NO_ROWS } from '../../plan/write/first-rows.ts';
import { filesIn } from './copied-files.ts';
import { withDatabase } from './database.ts';
import { lines, read } from './read-rows.ts';

/** Opening the database must not change it. */
export async function checkFiles(
  values: Parameters<typeof withDatabase>[0],
  maintenance: Maintenance,
): Promise<readonly Finding[]> {
  const loaded = await loadCatalogue(values.collections);
  if (!loaded.catalogue.builtIn.has(FILES_NAME)) return [];
  const warning = (detail: string) => [{ check: 'files', ok: true, isWarning: true, detail }];
  if ((await maintenance.plan({ firstRows: NO_ROWS })).steps.length > 0) {
    return warning('not checked, because the service changes the tables when it starts');
  }
  const check = async (engine: Engine, catalogue: Catalogue): Promise<readonly Finding[]> => {
    const bytes = checkContents(filesIn(engine, catalogue).files!).catch(({ message: detail }: Error) => ({
      check: 'files',
      ok: false,
      detail,
    }));
    return [await bytes, await checkLists(engine, catalogue)];
  };
  return withDatabase(values, 'never', check, { loaded }).catch((error) => warning(`not checked: ${error.message}`));
}

/** No constraint ensures that the files of a list exist. */
async function checkLists(engine: Engine, catalogue: Catalogue): Promise<Finding> {
  const problems: string[] = [];
  for (const collection of served(catalogue).collections.values()) {
    for (const { field } of collection.lists) {
      const rows = await incompleteRows(engine, collection, field);
      if (rows > 0) problems.push(`${field.name} of ${amount(rows)} of ${collection.name} has files that do not exist`);
    }
  }
  return { check: 'lists of files', ok: problems.length === 0, detail: problems.join('; ') || 'all exist' };
}

async function incompleteRows(engine: Engine, collection: Collection, { name }: Field): Promise<number> {
  const query = parseQuery(`select=ids:"${name}",files:"${name}"(id)&"${name}"=not.is.null`);
  const { parts } = await read(engine, planRead(collection, query, { offset: 0 }, undefined), 'ndjson');
  let count = 0;
  for await (const line of lines(parts)) {
    const { ids, files } = JSON.parse(line) as { readonly ids: readonly string[]; readonly files: readonly unknown[] };
    if (files.length < ids.length) count++;
  }
  return count;
}
