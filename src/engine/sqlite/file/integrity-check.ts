/** Checks the integrity of a database file and its agreement with the declaration. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import { NO_ROWS } from '../../../plan/write/first-rows.ts';
import { blockingChanges } from '../../migration/changes.ts';
import { type MigrationPlan, stepsOf } from '../../migration/words.ts';
import { checkCredentialRoles, type Finding, type Progress, wordIndexFinding } from '../../shared/maintenance.ts';
import { identifier } from '../../sql/statement.ts';
import { isDamage } from '../errors.ts';
import { differencesIn, planSchema } from '../schema/migrate.ts';
import { exposedCredentials, roleHolders } from '../schema/own-tables.ts';
import { checkOwner, count, indexesOf, pragma, SCHEMA_VERSION } from '../schema/schema.ts';
import { countPending, hasSearchIndex, storedSchema } from '../search/search-index.ts';
import { checkWords, hasWordIndex } from '../search/word-index.ts';
import { integrityProblems, openExisting } from './backup.ts';

export function checkDatabase(path: string, catalogue: Catalogue, progress: Progress): Finding[] {
  const { collections, roles } = catalogue;
  using db = openExisting(path);
  const problems = problemsOf(db);
  const integrity = finding('integrity', problems.slice(0, 10), 'ok');
  if (problems.length > 0) return [integrity];
  if (checkOwner(db)) return [integrity, { check: 'schema version', ok: false, detail: 'the file is empty' }];
  const { problems: misfits } = planSchema(db, { catalogue, firstRows: NO_ROWS });
  const declaration = declared(misfits, stepsOf(blockingChanges(differencesIn(db, catalogue))));
  if (!declaration.ok) return [integrity, version(db), declaration];
  const indexNames = db.query("select name from sqlite_schema where type = 'index'").values().flat();
  const schema: Schema = { stored: storedSchema(db), indexes: new Set(indexNames) };
  const exposed = exposedCredentials(db, path);
  const checks: (() => Finding)[] = [
    () => version(db),
    () => declaration,
    ...[...collections.values()].flatMap((collection) =>
      [values, indexes, searches, ...(collection.search ? [wordIndex] : []), rowCount].map((step) => () => ({
        ...step(db, collection, schema),
        collection: collection.name,
      })),
    ),
    () => references(db),
    ...(roles === undefined ? [] : [() => checkCredentialRoles(roleHolders(db), roles)]),
    () => size(path),
    ...(exposed === undefined ? [] : [() => ({ check: 'permissions', ok: true, isWarning: true, detail: exposed })]),
  ];
  progress(1, checks.length + 1);
  const findings = checks.map((check, index) => {
    const found = check();
    progress(index + 2, checks.length + 1);
    return found;
  });
  return [integrity, ...findings];
}

/** In a damaged file even the check may fail. */
function problemsOf(db: Database): string[] {
  try {
    return integrityProblems(db);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [(error as Error).message];
  }
}

function version(db: Database): Finding {
  const version = pragma(db, 'user_version');
  return { check: 'schema version', ok: version === SCHEMA_VERSION, detail: `${version} of ${SCHEMA_VERSION}` };
}

/** The missing tables and fields of the file, which the other checks would not find. */
function declared(misfits: MigrationPlan['problems'], steps: readonly string[]): Finding {
  const advice = [...misfits.map(({ words }) => words), 'catalogue migrate --plan says what can be done'];
  const pending = steps.length === 0 ? [] : [`catalogue migrate would ${steps.join(', ')}`];
  return finding('declaration', misfits.length > 0 ? advice : pending, 'tables and fields exist');
}

/** The integrity check covers types, bounds and required fields, since they are table constraints; digits are not. */
function values(db: Database, { name, fields }: Collection): Finding {
  const problems = fields.flatMap((field) => {
    const isWrong = field.type.sqlite.wrong?.(identifier(field.name));
    const wrong = isWrong === undefined ? 0 : count(db, `select count(*) from ${identifier(name)} where ${isWrong}`);
    return wrong === 0 ? [] : [`${wrong} rows hold a ${field.name} with more digits than it may have`];
  });
  return finding('constraints', problems, 'satisfied by all rows');
}

/** Read once for all collections. */
interface Schema {
  readonly stored: ReturnType<typeof storedSchema>;
  readonly indexes: ReadonlySet<unknown>;
}

function indexes(_db: Database, collection: Collection, schema: Schema): Finding {
  const missing = indexesOf(collection).filter(({ name }) => !schema.indexes.has(name));
  const names = missing.map(({ fields }) => fields.map(({ name }) => name).join(', '));
  const problems = names.map((each) => `the index on ${each} is missing; the service creates it at start`);
  return finding('indexes', problems, 'complete');
}

/** The index of filters such as `ilike` and `fts`. If it is missing or incomplete, they are only slower. */
function searches(db: Database, collection: Collection, { stored }: Schema): Finding {
  const finding = (detail: string): Finding => ({ check: 'index of texts', ok: true, detail });
  if (!hasSearchIndex(db, collection, stored)) return finding('missing; the service creates it at start');
  const pending = countPending(db, collection);
  return finding(`${pending} changed ${pending === 1 ? 'row' : 'rows'} not indexed yet`);
}

function wordIndex(db: Database, collection: Collection): Finding {
  return wordIndexFinding(hasWordIndex(db, collection) ? checkWords(db, collection) : undefined);
}

function rowCount(db: Database, { name }: Collection): Finding {
  return { check: name, ok: true, detail: `${count(db, `select count(*) from ${identifier(name)}`)}` };
}

function references(db: Database): Finding {
  const broken = db.query('select "table", parent, count(*) from pragma_foreign_key_check group by 1, 2').values();
  const problems = broken.map(
    ([from, to, rows]) => `${rows} rows of ${from} reference rows of ${to} that do not exist`,
  );
  return finding('references', problems, 'all exist');
}

function size(path: string): Finding {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return { check: 'size', ok: true, detail: `${statSync(path).size} bytes, and ${log} in the log` };
}

function finding(check: string, problems: readonly string[], otherwise: string): Finding {
  return { check, ok: problems.length === 0, detail: problems.length === 0 ? otherwise : problems.join('; ') };
}
