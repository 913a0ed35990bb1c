/** The filter of one field: a list of values with counts, or the input of its kind. */
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { labelOf, type Value } from '../api/catalogue.ts';
import { equals } from '../api/query/filter-text.ts';
import type { ListQuery } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { Check } from '../components/inputs.tsx';
import { usePopover } from '../components/popover.ts';
import { Skeleton } from '../components/small.tsx';
import { inList } from '../fields/filters.tsx';
import type { FieldPlace } from '../fields/kind.ts';
import { kindOf } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { parseCondition, parseList } from './conditions.ts';
import { useValueCounts } from './value-counts.ts';

interface FilterPopoverProps {
  readonly query: ListQuery;
  readonly place: FieldPlace;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onApply: (conditions: readonly string[]) => void;
  readonly onAdvanced: () => void;
  readonly onClose: () => void;
}

export function FilterPopover({ query, place, anchor, onApply, onAdvanced, onClose }: FilterPopoverProps) {
  const popup = useRef<HTMLDivElement>(null);
  const { field } = place;
  const stored = query.filters.filter(([name]) => name === field.name).map(([, condition]) => condition);
  const [conditions, setConditions] = useState<readonly string[]>(stored);
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
      aria-label={labelOf(field)}
      className="menu filter-popover"
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      <form className="stack" onSubmit={onSubmit}>
        <label htmlFor={id}>{labelOf(field)}</label>
        {Filter === undefined ? (
          <ValueList id={id} query={query} place={place} conditions={conditions} onChange={setConditions} />
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

interface ValueListProps {
  readonly id: string;
  readonly query: ListQuery;
  readonly place: FieldPlace;
  readonly conditions: readonly string[];
  readonly onChange: (conditions: readonly string[]) => void;
}

function ValueList({ id, query, place, conditions, onChange }: ValueListProps) {
  const { data } = useValueCounts(query, place);
  const [typed, setTyped] = useState('');
  const chosen = new Set(conditions.flatMap(chosenTexts));
  if (data === undefined) return <Skeleton lines={3} />;
  const toggle = (value: Value) => {
    const text = String(value);
    const next = new Set(chosen);
    if (!next.delete(text)) next.add(text);
    onChange(conditionFor(data.map((each) => each.value).filter((each) => next.has(String(each)))));
  };
  const shown = data.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
  return (
    <>
      <input
        id={id}
        type="search"
        autoFocus
        placeholder={t.find.findValue}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div className="value-list">
        {shown.map(({ value, label, count }) => (
          <Check key={String(value)} checked={chosen.has(String(value))} onChange={() => toggle(value)}>
            <span className="one-line">{label}</span> <span className="count">{formatNumber(count)}</span>
          </Check>
        ))}
      </div>
    </>
  );
}

/** The values that a condition of a value list selects. */
function chosenTexts(condition: string): readonly string[] {
  const { isNegated, operator, operand } = parseCondition(condition);
  if (isNegated) return [];
  if (operator === 'in') return parseList(operand);
  return operator === 'eq' || operator === 'is' ? [operand] : [];
}

/** One condition on the chosen values. Null needs an operator of its own, so it is chosen alone. */
export function conditionFor(values: readonly Value[]): readonly string[] {
  const [only] = values;
  if (only === undefined) return [];
  if (values.includes(null)) return ['is.null'];
  if (values.length > 1) return [inList(values)];
  return [equals(only)];
}
