/** `catalogue check`: checks the integrity of the database, or validates a declaration. */

import { amount } from '../base/amount.ts';
import { similarToAnonymous } from '../collection/access/role-warnings.ts';
import { served } from '../collection/files.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { DeclarationError } from '../declare/reader/mistakes.ts';
import type { Finding } from '../engine/shared/maintenance.ts';
import { DATA_SETTINGS } from '../settings/by-command.ts';
import { COLLECTIONS } from '../settings/database.ts';
import { checkFiles } from './shared/check-files.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';
import { openMaintenance } from './shared/database.ts';
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
    console.log(JSON.stringify({ ok: false, file, mistakes: error.mistakes }));
    return 1;
  }
}
