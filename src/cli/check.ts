/** `catalogue check`: checks the integrity of the database, or validates a declaration. */

import { amount } from '../base/amount.ts';
import { similarToAnonymous } from '../collection/access/role-warnings.ts';
import type { Catalogue, Collection, Field } from '../collection/declaration.ts';
import { FILES_NAME, served } from '../collection/files.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { DeclarationError } from '../declare/reader/mistakes.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import type { Finding, Maintenance } from '../engine/shared/maintenance.ts';
import { checkContents } from '../files/storage/transfer.ts';
import { planRead } from '../plan/read/read.ts';
import { NO_ROWS } from '../plan/write/first-rows.ts';
import { DATA_SETTINGS } from '../settings/by-command.ts';
import { COLLECTIONS } from '../settings/database.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';
import { filesIn } from './shared/copied-files.ts';
import { lines, openMaintenance, read, withDatabase } from './shared/database.ts';
import { withProgress } from './shared/progress.ts';

export const command = defineCommand({
  options: { ...JSON_OPTION, ...DATA_SETTINGS },
  operands: 1,
  usage: `Usage: catalogue check [FILE] [flags]

Checks the integrity of the database, its schema version, fields, constraints and indexes, and counts its rows. Compares
the bytes of uploaded files with their SHA-256, and looks for missing files of lists. Changes nothing. A running service
may use the database meanwhile.

With FILE, or with --collections FILE and without --database, validates only that declaration and its files of rows. It
opens no database, and reports every mistake with its line.

If the declaration has roles, warns about keys and users with another role; with FILE, about a role that is probably meant
to be anonymous.

Exit codes: 0 no errors, maybe warnings; 1 errors.`,
  async run({ values, origins, operands }) {
    const isOnlyDeclaration = origins.collections === COLLECTIONS.flag && origins.database === 'default';
    const file = operands[0] ?? (isOnlyDeclaration ? values.collections : undefined);
    if (file !== undefined) return checkFile(file, values.json);
    const maintenance = await openMaintenance(values);
    const found = await withProgress('Checking', 'steps', (progress) => maintenance.check(progress));
    const findings = [...found, ...(found.every((finding) => finding.ok) ? await checkFiles(values, maintenance) : [])];
    const ok = findings.every((finding) => finding.ok);
    if (values.json) console.log(JSON.stringify({ ok, database: maintenance.location, findings }));
    else {
      const names = findings.map(nameOf);
      const width = Math.max(...names.map((name) => name.length));
      for (const [at, { ok, isWarning = false, detail }] of findings.entries()) {
        console.log(`${ok ? (isWarning ? 'warn' : 'ok  ') : 'BAD '}  ${names[at]!.padEnd(width)}  ${detail}`);
      }
    }
    return ok ? 0 : 1;
  },
});

/** A check named like its collection is the row count. */
function nameOf({ check, collection }: Finding): string {
  return collection === undefined || collection === check ? check : `${collection}: ${check}`;
}

async function checkFile(file: string, json: boolean): Promise<number> {
  try {
    const { catalogue, firstRows } = await loadCatalogue(file, { withRows: true });
    const declared = [...served(catalogue).collections.values()];
    const collections = declared.length;
    const fields = declared.flatMap((collection) => collection.fields).length;
    const rows = declared.flatMap(firstRows).length;
    const counts = [amount(collections, 'collection'), amount(fields, 'field'), amount(rows, 'row')].join(', ');
    const warning = similarToAnonymous(catalogue.roles ?? new Map());
    const report = { ok: true, file, collections, fields, rows, warnings: warning && [warning] };
    console.log(json ? JSON.stringify(report) : `ok    ${file}  ${counts}`);
    if (!json && warning !== undefined) console.log(`warn  ${warning}`);
    return 0;
  } catch (error) {
    if (!json || !(error instanceof DeclarationError)) throw error;
    const mistakes = error.mistakes.map((each) => ({ ...each, message: String(each.message) }));
    console.log(JSON.stringify({ ok: false, file, mistakes }));
    return 1;
  }
}

/** Opening the database must not change it. */
async function checkFiles(
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
