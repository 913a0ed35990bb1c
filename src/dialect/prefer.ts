/**
 * Parses the Prefer header (RFC 7240) with PostgREST's preferences. Unknown ones are ignored, or rejected if
 * `handling=strict`.
 */
import { ApiError } from '../base/errors.ts';
import { memoizeText } from '../base/memo.ts';

export const CHOICES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'headers-only', 'minimal'],
  count: ['exact', 'planned', 'estimated'],
  missing: ['default', 'null'],
  'missing-rows': ['fail', 'ignore'],
  handling: ['strict', 'lenient'],
  tx: ['commit', 'rollback'],
  conflicts: ['fail', 'skip'],
  errors: ['all', 'first'],
} as const;

type Choices = typeof CHOICES;
export type PreferenceName = keyof Choices | 'max-affected' | 'timezone' | 'as-of';

export type Preferences = { readonly [Name in keyof Choices]?: Choices[Name][number] } & {
  readonly 'max-affected'?: number;
  readonly timezone?: string;
  /** A time. */
  readonly 'as-of'?: string;
};

export const NO_PREFERENCES: Preferences = {};

export function parsePrefer(header: string | null): Preferences {
  return header === null ? NO_PREFERENCES : preferencesIn(header);
}

const preferencesIn = memoizeText((header): Preferences => {
  const preferences: Record<string, string | number> = {};
  const unknown: string[] = [];
  for (const part of header.split(',')) {
    const preference = part.trim();
    if (preference === '') continue;
    const [name, value] = splitPreference(preference);
    if (Object.hasOwn(preferences, name)) continue;
    if (Object.hasOwn(CHOICES, name) && (CHOICES[name as keyof Choices] as readonly string[]).includes(value)) {
      preferences[name] = value;
    } else if (name === 'max-affected' && /^\d{1,15}$/.test(value)) preferences[name] = Number(value);
    else if ((name === 'timezone' || name === 'as-of') && value !== '')
      preferences[name] = value.replace(/^"(.*)"$/, '$1');
    else unknown.push(preference);
  }
  if (preferences.handling === 'strict' && unknown.length > 0) {
    throw new ApiError('PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${unknown.join(', ')}`,
      hint: `Known preferences: ${Object.entries(CHOICES)
        .map(([name, values]) => `${name}=${values.join('|')}`)
        .join(', ')}, max-affected=<number>, as-of=<time>.`,
    });
  }
  return preferences as Preferences;
});

/** A preference without `=` has an empty value (RFC 7240). */
function splitPreference(preference: string): readonly [name: string, value: string] {
  const equals = preference.indexOf('=');
  return equals === -1 ? [preference, ''] : [preference.slice(0, equals), preference.slice(equals + 1)];
}
