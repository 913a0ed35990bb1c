/** Headers of answers: Preference-Applied (RFC 7240, 3), Content-Range, and entity tags (RFC 9110, 8.8.3). */
import { versionOfText } from '../collection/version.ts';
import { NO_PREFERENCES, type PreferenceName, type Preferences } from '../dialect/prefer.ts';
import { notSatisfiable } from '../dialect/query.ts';
import type { Media } from '../http/negotiate.ts';

export type Action = 'read' | 'item' | 'insert' | 'replace' | 'update' | 'delete' | 'undo';

/** The preferences that each kind of request applies. */
const APPLICABLE: Readonly<Record<Action, readonly PreferenceName[]>> = {
  read: ['count', 'tx', 'handling', 'as-of'],
  item: ['as-of'],
  insert: ['resolution', 'missing', 'missing-rows', 'return', 'count', 'tx', 'handling', 'errors'],
  replace: ['return', 'count', 'tx', 'handling', 'errors'],
  update: ['missing', 'missing-rows', 'return', 'count', 'tx', 'handling', 'errors', 'max-affected'],
  delete: ['return', 'count', 'tx', 'handling', 'max-affected'],
  undo: ['conflicts', 'return', 'tx', 'handling'],
};

const NOTHING: Readonly<Record<string, string>> = {};

export function preferenceApplied(action: Action, preferences: Preferences): Readonly<Record<string, string>> {
  if (preferences === NO_PREFERENCES) return NOTHING;
  const applied: string[] = [];
  for (const name of APPLICABLE[action]) {
    const value = preferences[name];
    if (value === undefined) continue;
    if (name === 'max-affected' && preferences.handling !== 'strict') continue;
    applied.push(`${name}=${value}`);
  }
  return applied.length === 0 ? NOTHING : { 'preference-applied': applied.join(', ') };
}

/** `<first>-<last>/<total>`; `*` without rows or without a count. */
export function contentRange(offset: number, rows: number, total: number | undefined): string {
  const range = rows === 0 ? '*' : `${offset}-${offset + rows - 1}`;
  return `${range}/${total ?? '*'}`;
}

/** 206 if the page is smaller than the total. An offset past the end of a counted result is rejected. */
export function pageStatus(
  offset: number,
  rows: number,
  total: number | undefined,
  limit: number | undefined,
  applied: Readonly<Record<string, string>>,
): 200 | 206 {
  if (total === undefined) return 200;
  if (offset > total && limit !== 0) {
    throw notSatisfiable(`An offset of ${offset} was requested, but there are only ${total} rows.`, {
      ...applied,
      'content-range': `*/${total}`,
    });
  }
  return rows < total ? 206 : 200;
}

/**
 * A row's tag begins with its version. Representations other than the whole row in JSON add a suffix, so that each has
 * its own tag and all of them identify the same version for If-Match.
 */
export function itemTag(version: string, variant = ''): string {
  return variant === '' ? `"${version}"` : `"${version}.${versionOfText(variant)}"`;
}

/** Equal bytes with another media type are another representation. */
export function listTag(body: string, range: string, media: Media): string {
  const { format, stripNulls, bom, noFormulas } = media;
  const variant = stripNulls ? '-stripped' : noFormulas ? '-spreadsheet' : bom ? '-bom' : '';
  const kind = format === 'json' && !stripNulls ? '' : `-${format}${variant}`;
  return `"${versionOfText(body)}-${range}${kind}"`;
}
