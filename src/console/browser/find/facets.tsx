/** Beside a search: how many of the found rows have each value of a choice, a switch or a reference. */
import { useQuery } from '@tanstack/react-query';
import { setFilter } from '../api/address.ts';
import { labelOf, type Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { conditionsOn, type ListQuery, selectUrl } from '../api/query/list.ts';
import { printName } from '../api/query/text.ts';
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
  const fields = facetFields(collection);
  const url = selectUrl(
    query,
    [printName(collection.key[0]!.name)],
    [
      ['facets', fields.map(({ name }) => printName(name)).join(',')],
      ['limit', '0'],
    ],
  );
  const { data } = useQuery({
    queryKey: ['figures', collection.name, url],
    queryFn: async ({ signal }) => {
      const { json } = await ask(url, { headers: { accept: MEDIA_TYPE }, signal });
      return (json as { readonly facets: Readonly<Record<string, readonly Facet[]>> }).facets;
    },
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return fields.map((field) => {
    const chosen = conditionsOn(query, field.name).flatMap(valuesOf);
    const toggle = (value: Value) =>
      setFilter(collection, field.name, (now) => conditionFor(toggleValue(now.flatMap(valuesOf), value)));
    return (
      <fieldset key={field.name}>
        <legend>{labelOf(field)}</legend>
        {(data[printName(field.name)] ?? data[field.name] ?? []).slice(0, SHOWN).map(({ value, count, title }) => (
          <Check key={String(value)} checked={hasValue(chosen, value)} onChange={() => toggle(value)}>
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
