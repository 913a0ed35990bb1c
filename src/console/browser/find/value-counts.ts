/** The values of a field among the rows of a list, with their counts. */
import { useQuery } from '@tanstack/react-query';
import { type Row, referenceOf, titleFieldOf, titleOf, type Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { queryText } from '../api/query/filter-text.ts';
import { conditionsOf, embeddingsOf, type ListQuery } from '../api/query/list.ts';
import { cacheTitle, namesOf } from '../api/query/titles.ts';
import type { FieldPlace } from '../fields/kind.ts';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

const MAX_VALUES = 100;

export interface ValueCount {
  readonly value: Value;
  readonly label: string;
  readonly count: number;
}

/** The most frequent values. The field's own filters do not apply, so that other values can be chosen. */
export function useValueCounts(query: ListQuery, place: FieldPlace) {
  const { collection, field } = place;
  const others = { ...query, filters: query.filters.filter(([name]) => name !== field.name) };
  const other = referenceOf(collection, field);
  const title = other && titleFieldOf(other) !== undefined ? `title:${field.name}(${namesOf(other).join(',')})` : '';
  const select = [field.name, 'count()', title, ...embeddingsOf(query)].filter((part) => part !== '').join(',');
  const url = `/${collection.name}?${queryText([
    ...conditionsOf(others),
    ['select', select],
    ['order', 'count.desc'],
    ['limit', String(MAX_VALUES)],
  ])}`;
  return useQuery({
    queryKey: ['figures', collection.name, url],
    queryFn: async ({ signal }): Promise<readonly ValueCount[]> => {
      const { json } = await ask(url, { signal });
      return (json as Readonly<Record<string, unknown>>[]).map((group) => {
        const value = group[field.name] as Value;
        if (other !== undefined && group.title)
          cacheTitle(collection, field, value, titleOf(other, group.title as Row));
        const label = value === null ? t.app.empty : formatValue(place, value);
        return { value, label, count: Number(group.count) };
      });
    },
  });
}
