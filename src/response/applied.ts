/** Preference-Applied (RFC 7240, 3): the preferences that each kind of request applies. */
import { NO_PREFERENCES, type PreferenceName, type Preferences } from '../dialect/prefer.ts';

export type Action = 'read' | 'item' | 'insert' | 'replace' | 'update' | 'delete' | 'undo';

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
