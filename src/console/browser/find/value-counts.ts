/** The values of a field among the rows of a list, with their counts. */
import { useQuery } from '@tanstack/react-query';
import { type Field, type Row, referenceOf, titleFieldOf, type Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import type { FilterField, Pair } from '../api/query/filters.ts';
import { groupOf, groupOrder, type ListQuery, listOf, orderText, selectUrl } from '../api/query/list.ts';
import { escapeLike, printName } from '../api/query/text.ts';
import { cacheTitle, namesOf } from '../api/query/titles.ts';
import type { FieldPlace } from '../fields/kind.ts';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

const MAX_VALUES = 100;
const MAX_GROUPS = 1_000;
const NONE: readonly ValueCount[] = [];

export interface ValueCount {
  readonly value: Value;
  readonly label: string;
  readonly count: number;
}

/**
 * The most frequent values, or those that contain a text. The field's own filters do not apply, so that other values
 * can be chosen.
 */
export function useValueCounts(query: ListQuery, filter: FilterField, text = '') {
  const { collection, field, via, name } = filter;
  const others = query.filters.filter(([each]) => each !== name);
  const found: readonly Pair[] = text === '' ? [] : [[field.name, `ilike.*${escapeLike(text)}*`]];
  // The values of a referenced row are those of all its rows.
  const rows = via === undefined ? { ...query, filters: [...others, ...found] } : listOf(collection, found);
  const url = countsUrl(rows, field, 'count.desc', MAX_VALUES);
  return useQuery({
    queryKey: ['figures', collection.name, url],
    queryFn: () => readCounts(filter, url),
    placeholderData: (before) => before,
  });
}

/** The groups of a table, in the order of its rows. */
export function groupsUrl(query: ListQuery, field: Field): string {
  return countsUrl(query, field, orderText([{ ...groupOrder(query, field), name: printName(field.name) }]), MAX_GROUPS);
}

export function useGroups(query: ListQuery): readonly ValueCount[] {
  const { collection } = query;
  const field = groupOf(query);
  const url = field && groupsUrl(query, field);
  const { data = NONE } = useQuery({
    // A write that changes the list changes its groups.
    queryKey: ['list', collection.name, 'groups', url],
    queryFn: () => readCounts({ collection, field: field! }, url!),
    enabled: field !== undefined,
  });
  return data;
}

function countsUrl(query: ListQuery, field: Field, order: string, limit: number): string {
  const { collection } = query;
  const other = referenceOf(collection, field);
  const name = printName(field.name);
  const title = other && titleFieldOf(other) !== undefined ? [`title:${name}(${namesOf(other).join(',')})`] : [];
  const page: readonly Pair[] = [
    ['order', order],
    ['limit', String(limit)],
  ];
  return selectUrl(query, [name, 'count()', ...title], page);
}

async function readCounts(place: FieldPlace, url: string): Promise<readonly ValueCount[]> {
  const { collection, field } = place;
  const other = referenceOf(collection, field);
  const { json } = await ask(url);
  return (json as Readonly<Record<string, unknown>>[]).map((group) => {
    const value = group[field.name] as Value;
    if (other !== undefined && group.title) cacheTitle(other, group.title as Row);
    const label = value === null ? t.app.empty : formatValue(place, value);
    return { value, label, count: Number(group.count) };
  });
}
