/** Names groups for people: by the title of the referenced row, Yes and No, or the value. */
import type { Field } from '../../../collection/declaration.ts';
import { quoted } from '../shared/api/api.ts';
import { isText, labelOf, titleFieldOf } from '../shared/api/collection.ts';
import type { Chip } from '../shared/api/query.ts';
import { referenceOf } from '../shared/values/references.ts';
import { rowsOf } from './ask-few.ts';
import type { Bar } from './bar.ts';
import type { Key } from './sums.ts';

/** Bars per chart; further groups are only counted. */
export const MAX_BARS = 12;

export interface GroupSize {
  readonly key: Key;
  readonly value: number;
}

/** Group names by value, shared by several charts. */
export type Names = ReadonlyMap<Key, string>;

/** The largest groups, with names and filters. */
export function barsOf(
  field: Field,
  sizes: readonly GroupSize[],
  names: Names,
  also: readonly Chip[] = [],
): readonly Bar[] {
  return largest(sizes).map(({ key, value }) => ({
    label: names.get(key) ?? wordFor(field, key),
    value,
    where: [
      key === null
        ? { field: field.name, operator: 'is', value: 'null' }
        : { field: field.name, operator: 'eq', value: String(key) },
      ...also,
    ],
  }));
}

function largest(sizes: readonly GroupSize[]): readonly GroupSize[] {
  return [...sizes].sort((one, other) => other.value - one.value).slice(0, MAX_BARS);
}

/** Loads the names that the charts show. */
export function namesFor(field: Field, ...charts: readonly (readonly GroupSize[])[]): Promise<Names> {
  return namesOf(field, [...new Set(charts.flatMap((sizes) => largest(sizes).map(({ key }) => key)))]);
}

/** One request loads the names of all bars. */
async function namesOf(field: Field, keys: readonly Key[]): Promise<Names> {
  const other = referenceOf(field);
  const [key] = other?.key ?? [];
  const title = other && (titleFieldOf(other) ?? other.fields.find(isText));
  const asked = keys.filter((each) => each !== null);
  if (other === undefined || key === undefined || title === undefined || asked.length === 0) return new Map();
  const list = asked.map((each) => decodeURIComponent(quoted(each as number | string))).join(',');
  const rows = await rowsOf(
    [
      ['select', `key:${key.name},title:${title.name}`],
      [key.name, `in.(${list})`],
    ],
    `/${other.name}`,
  );
  return new Map(
    rows.flatMap((row): [Key, string][] =>
      row.title === null || row.title === '' ? [] : [[row.key as Key, String(row.title)]],
    ),
  );
}

function wordFor(field: Field, key: Key): string {
  const label = labelOf(field);
  if (key === null) return `No ${label.toLowerCase()}`;
  if (typeof key === 'boolean') return key ? 'Yes' : 'No';
  return typeof key === 'number' ? `${label} ${key}` : key;
}
