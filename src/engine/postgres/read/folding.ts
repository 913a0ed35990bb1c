/**
 * Case beyond ASCII. Columns compare by code point (`COLLATE "C"`), and there upper and lower case end with z; ilike
 * and imatch fold every letter all the same, as they do on SQLite. The fold is the same on both: upper, then lower, one
 * character for one. It needs a collation that knows Unicode; which one a server has depends on its age and build.
 */
import { foldCase } from '../../../text/case.ts';
import { query, type Runner } from '../driver.ts';

export interface Folding {
  /** Null if the server has no such collation: then only ASCII letters fold. */
  readonly collation: string | null;
}

/** In order of preference: PostgreSQL's own (17 and later), the C library's, ICU's, the database's. */
const CANDIDATES = ['pg_c_utf8', 'C.utf8', 'C.UTF-8', 'und-x-icu', 'en_US.utf8', 'en_US.UTF-8', 'default'];

export async function findFolding(runner: Runner): Promise<Folding> {
  const sql = `select distinct collname from pg_catalog.pg_collation
      where collnamespace = 'pg_catalog'::regnamespace and collencoding in (-1, pg_char_to_encoding('UTF8'))`;
  const present = await query<{ collname: string }>(runner, sql);
  const names = present.map(({ collname }) => collname);
  for (const name of CANDIDATES.filter((each) => names.includes(each))) {
    const collation = `pg_catalog."${name}"`;
    const sql = `select lower(upper('öß' collate ${collation})) = 'öß' and upper('ö' collate ${collation}) = 'Ö' as folds`;
    const [tried] = await query<{ folds: boolean }>(runner, sql);
    if (tried?.folds === true) return { collation };
  }
  return { collation: null };
}

// Separate letters except in Turkish; C libraries fold both to i.
const TURKISH = /[ıİ]/gu;
const STAND_INS: Readonly<Record<string, string>> = { ı: '\u{f0131}', İ: '\u{f0130}' };

export function foldedColumn(column: string, { collation }: Folding): string {
  if (collation === null) return `lower(${column})`;
  const withStandIns = `translate(${column}, 'ıİ', '${STAND_INS.ı}${STAND_INS.İ}')`;
  return `lower(upper(${withStandIns} collate ${collation})) collate "C"`;
}

/** A like pattern, folded like its column. */
export function foldedPattern(pattern: string): string {
  return foldCase(pattern).replace(TURKISH, (letter) => STAND_INS[letter]!);
}

/** A regular expression: `~*` folds ASCII itself, and escapes such as \W must stay. */
export function foldedRegex(pattern: string): string {
  return pattern.replace(/[^\x00-\x7f]+/gu, foldedPattern);
}
