/** The search box, the filter chips, and the URL of the current list. */
import { Box, Chip as MuiChip } from '@mui/material';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import { collectionName, fieldNamed, type KeyedRow, labelOf, titleField } from '../../shared/api/collection.ts';
import { type Chip, type Filter, filterOf } from '../../shared/api/query.ts';
import { Icon } from '../../shared/page/icon.tsx';
import { conditionOf, describeCondition } from '../../shared/values/conditions.ts';
import { quickFilters } from '../../shared/values/quick-filters.ts';
import { cacheTitles } from '../../shared/values/references.ts';
import { RequestLine } from '../list/request-line.tsx';
import { AddFilter, type InitialFilter } from './add-filter.tsx';

/** Long enough not to search letter by letter, short enough to feel immediate. */
const PAUSE_MS = 180;

/** The filter in the dialog, and the index of the chip that it replaces. */
interface Open {
  readonly anchor: HTMLElement;
  readonly initial?: InitialFilter;
  readonly at?: number;
}

export function FilterBar() {
  const { filterValues, setFilters, data } = useListContext<KeyedRow>();
  const { q, where = [] } = filterOf(filterValues);
  cacheTitles(data ?? []);
  const [open, setOpen] = useState<Open>();
  const change = (next: Filter) => {
    const filter: Filter = { ...(next.q ? { q: next.q } : {}), ...(next.where?.length ? { where: next.where } : {}) };
    setFilters(filter, undefined, false);
  };
  /** Replaces the chip that is being changed, or appends a new one. */
  const add = (chips: readonly Chip[]) => {
    const at = open?.at ?? where.length;
    setOpen(undefined);
    change({ ...(q === undefined ? {} : { q }), where: where.toSpliced(at, 1, ...chips) });
  };
  const edit = (chip: Chip, at: number, anchor: HTMLElement) => {
    const field = 'raw' in chip ? undefined : fieldNamed(chip.field);
    const fits = 'raw' in chip || field === undefined ? undefined : conditionOf(field, chip);
    if ('raw' in chip || field === undefined || fits === undefined) return;
    setOpen({ anchor, at, initial: { field, ...fits, not: chip.not === true } });
  };
  const remove = (index: number) =>
    change({ ...(q === undefined ? {} : { q }), where: where.filter((_chip, at) => at !== index) });

  // A quick filter that is already a chip is not offered again.
  const quick = quickFilters.filter(({ field }) => !where.some((chip) => 'field' in chip && chip.field === field.name));
  return (
    <Box component="search" sx={{ px: 2, pt: 2, pb: 1, display: 'grid', gap: 1.25 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        {titleField && <SearchBox value={q ?? ''} onChange={(words) => change({ q: words, where })} />}
        <button
          type="button"
          className="button"
          onClick={(event) => setOpen({ anchor: event.currentTarget })}
          aria-haspopup="dialog"
        >
          <Icon name="filter" />
          Add filter
        </button>
        {where.map((chip, index) => (
          <MuiChip
            // biome-ignore lint/suspicious/noArrayIndexKey: chips have no identity but their index
            key={index}
            label={'raw' in chip ? chip.label : describeCondition(fieldNamed(chip.field)!, chip)}
            {...('raw' in chip
              ? {}
              : {
                  title: 'Change this filter',
                  onClick: (event: MouseEvent<HTMLElement>) => edit(chip, index, event.currentTarget),
                })}
            onDelete={() => remove(index)}
            color="primary"
            variant="outlined"
            sx={{ maxWidth: '100%' }}
          />
        ))}
        {where.length > 0 && (
          <button type="button" className="button" onClick={() => change({ ...(q === undefined ? {} : { q }) })}>
            Clear filters
          </button>
        )}
      </Box>
      {quick.length > 0 && (
        <Box role="group" aria-label="Quick filters" sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75 }}>
          {quick.map(({ field, condition }) => (
            <button
              key={field.name}
              type="button"
              className="chip"
              title={`Filter by ${labelOf(field)}`}
              aria-haspopup="dialog"
              onClick={(event) => setOpen({ anchor: event.currentTarget, initial: { field, condition } })}
            >
              {labelOf(field)}
            </button>
          ))}
        </Box>
      )}
      <RequestLine />
      {open !== undefined && (
        <AddFilter
          anchor={open.anchor}
          initial={open.initial}
          isChange={open.at !== undefined}
          add={add}
          close={() => setOpen(undefined)}
        />
      )}
    </Box>
  );
}

function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (words: string) => void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  // Show changes from outside (a link, the back button), but do not overwrite typing with its own result.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  /** Restores the text if the search was cancelled to keep unsaved work. */
  const restoreSearch = () => {
    if (typed !== sent.current || value === sent.current) return;
    sent.current = value;
    setTyped(value);
  };
  const label = `Search ${collectionName.replaceAll('_', ' ')}`;
  return (
    <input
      className="search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={restoreSearch}
    />
  );
}
