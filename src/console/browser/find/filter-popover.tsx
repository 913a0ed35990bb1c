/** The filter of one field: a list of values with counts, or the input of its kind. */
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { FilterField } from '../api/query/filters.ts';
import { conditionsOn, type ListQuery } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { usePopover } from '../components/popover.ts';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { conditionFor, valuesOf } from './conditions.ts';
import { ValueList } from './value-list.tsx';

interface FilterPopoverProps {
  readonly query: ListQuery;
  readonly filter: FilterField;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onApply: (conditions: readonly string[]) => void;
  readonly onAdvanced: () => void;
  readonly onClose: () => void;
}

export function FilterPopover({ query, filter, anchor, onApply, onAdvanced, onClose }: FilterPopoverProps) {
  const popup = useRef<HTMLDivElement>(null);
  const place = { collection: filter.collection, field: filter.field };
  const [conditions, setConditions] = useState(() => conditionsOn(query, filter.name));
  const id = useId();
  usePopover(true, anchor, popup);
  useEffect(() => popup.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  const { Filter } = kindOf(place);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onApply(conditions);
  };
  return (
    <div
      ref={popup}
      popover="auto"
      role="dialog"
      aria-label={filter.label}
      className="menu filter-popover"
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      <form className="stack" onSubmit={onSubmit}>
        <label htmlFor={id}>{filter.label}</label>
        {Filter === undefined ? (
          <ValueList
            id={id}
            query={query}
            filter={filter}
            chosen={conditions.flatMap(valuesOf)}
            onChange={(values) => setConditions(conditionFor(values))}
          />
        ) : (
          <Filter {...place} id={id} conditions={conditions} onChange={setConditions} />
        )}
        <footer className="line">
          <Button kind="quiet" onClick={onAdvanced}>
            {t.find.more}
          </Button>
          <span className="space" />
          <Button type="submit" kind="primary">
            {t.find.apply}
          </Button>
        </footer>
      </form>
    </div>
  );
}
