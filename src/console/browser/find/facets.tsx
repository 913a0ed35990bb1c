/** Beside a search: how many of the found rows have each value of a choice, a switch or a reference. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type Field, labelOf, type Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { conditionsOf, currentQuery, embeddingsOf, type ListQuery, listAddress, type Pair } from '../api/query/list.ts';
import { pathOf, printName, queryText } from '../api/query/text.ts';
import { Check } from '../components/inputs.tsx';
import { formatValue } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { conditionFor, hasValue, toggleValue, valuesOf } from './conditions.ts';
import { facetFields } from './quick-fields.ts';

const MEDIA_TYPE = 'application/vnd.catalogue.facets+json';
/** Values of a facet; the filter of the field has the others. */
const SHOWN = 8;

interface Facet {
  readonly value: Value;
  readonly count: number;
  readonly title?: string | null;
}

export default function Facets({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const [, navigate] = useLocation();
  const fields = facetFields(collection);
  const url = `${pathOf(collection)}?${queryText([
    ...conditionsOf(query),
    ['select', [printName(collection.key[0]!.name), ...embeddingsOf(query)].join(',')],
    ['facets', fields.map(({ name }) => printName(name)).join(',')],
    ['limit', '0'],
  ])}`;
  const { data } = useQuery({
    queryKey: ['figures', collection.name, url],
    queryFn: async ({ signal }) => {
      const { json } = await ask(url, { headers: { accept: MEDIA_TYPE }, signal });
      return (json as { readonly facets: Readonly<Record<string, readonly Facet[]>> }).facets;
    },
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  const toggle = (field: Field, value: Value) => {
    const { filters, ...rest } = currentQuery(collection);
    const next = conditionFor(toggleValue(chosenValues(filters, field), value));
    const others = filters.filter(([name]) => name !== field.name);
    navigate(listAddress({ ...rest, filters: [...others, ...next.map((each): Pair => [field.name, each])] }));
  };
  return fields.map((field) => {
    const chosen = chosenValues(query.filters, field);
    return (
      <fieldset key={field.name}>
        <legend>{labelOf(field)}</legend>
        {(data[printName(field.name)] ?? data[field.name] ?? []).slice(0, SHOWN).map(({ value, count, title }) => (
          <Check key={String(value)} checked={hasValue(chosen, value)} onChange={() => toggle(field, value)}>
            <span className="one-line">
              {value === null ? t.app.empty : (title ?? formatValue({ collection, field }, value))}
            </span>{' '}
            <span className="count">{formatNumber(count)}</span>
          </Check>
        ))}
      </fieldset>
    );
  });
}

/** The values that the filters of a field select. */
const chosenValues = (filters: readonly Pair[], { name }: Field): readonly Value[] =>
  filters.flatMap(([each, condition]) => (each === name ? valuesOf(condition) : []));
