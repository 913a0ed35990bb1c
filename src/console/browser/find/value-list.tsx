/** The values of a field with their counts, as checkboxes. For a reference, the text finds any row that it can name. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { isText, referenceOf, type Value } from '../api/catalogue.ts';
import type { FilterField } from '../api/query/filters.ts';
import { findRows } from '../api/query/find-rows.ts';
import type { ListQuery } from '../api/query/list.ts';
import { useEarlyEnter } from '../components/early-enter.ts';
import { Check } from '../components/inputs.tsx';
import { Skeleton } from '../components/small.tsx';
import { formatValue } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { hasValue, toggleValue } from './conditions.ts';
import { useValueCounts } from './value-counts.ts';

interface ValueListProps {
  readonly id: string;
  readonly query: ListQuery;
  readonly filter: FilterField;
  readonly chosen: readonly Value[];
  readonly onChange: (values: readonly Value[]) => void;
}

export function ValueList({ id, query, filter, chosen, onChange }: ValueListProps) {
  const { collection, field } = filter;
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const counts = useValueCounts(query, filter, isText(field) ? typed : '');
  const { data } = counts;
  const other = referenceOf(collection, field);
  const found = useQuery({
    queryKey: ['list', other?.name, 'options', typed],
    queryFn: ({ signal }) => findRows(other!, typed, signal),
    enabled: other !== undefined && typed !== '',
    placeholderData: (before) => before,
  });
  const isLoading = [counts, found].some(({ isLoading, isPlaceholderData }) => isLoading || isPlaceholderData);
  const setEntered = useEarlyEnter(isLoading, input);
  const known = (data ?? []).map(({ value }) => value);
  const label = (value: Value) => (value === null ? t.app.empty : formatValue(filter, value));
  const matches = (value: Value) => label(value).toLowerCase().includes(typed.toLowerCase());
  // Chosen values, then the most frequent ones, then other rows of the reference.
  const shown = [
    ...chosen.filter((value) => !hasValue(known, value)),
    ...known.filter(matches),
    ...(typed === ''
      ? []
      : (found.data ?? []).map(({ value }) => value).filter((value) => !hasValue([...known, ...chosen], value))),
  ];
  /** Enter chooses the first value that the text finds. A second one applies the filter. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || typed === '') return;
    event.preventDefault();
    const first = shown.find((value) => matches(value) && !hasValue(chosen, value));
    if (first === undefined) return setEntered(isLoading);
    onChange(toggleValue(chosen, first));
    setTyped('');
  };
  return (
    <>
      <input
        ref={input}
        id={id}
        type="search"
        placeholder={t.find.findValue}
        value={typed}
        onChange={({ target }) => {
          setEntered(false);
          setTyped(target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="value-list">
        {shown.map((value) => {
          const count = data?.find((each) => String(each.value) === String(value))?.count ?? 0;
          return (
            <Check
              key={String(value)}
              checked={hasValue(chosen, value)}
              onChange={() => onChange(toggleValue(chosen, value))}
            >
              <span className="one-line">{label(value)}</span> <span className="count">{formatNumber(count)}</span>
            </Check>
          );
        })}
        {data === undefined && <Skeleton lines={3} />}
        {data !== undefined && shown.length === 0 && <p className="help">{t.fields.noMatches}</p>}
      </div>
    </>
  );
}
