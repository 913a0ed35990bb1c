/** The filters that several kinds share: text that is contained, a range, and a choice of values. */
import { escapeLike, quoted } from '../api/query/text.ts';
import { t } from '../i18n/text.ts';
import type { FieldKind, FilterProps } from './kind.ts';

/** The operand of an operator among conditions: `20` of `gte.20`. */
export function operandOf(conditions: readonly string[], operator: string): string {
  return conditions.find((each) => each.startsWith(`${operator}.`))?.slice(operator.length + 1) ?? '';
}

/** A text input of a filter. `read` gives its text from a condition, `print` the condition. */
export const textFilter = (read: (condition: string) => string, print: (text: string) => string) =>
  function TextFilter({ id, conditions, onChange }: FilterProps) {
    return (
      <input
        id={id}
        type="search"
        placeholder={t.find.contains}
        defaultValue={read(conditions[0] ?? '').replaceAll(/\\(.)/g, '$1')}
        onChange={({ target }) => onChange(target.value.trim() === '' ? [] : [print(target.value.trim())])}
      />
    );
  };

export const ContainsFilter = textFilter(
  (condition) => /^ilike\.\*(.*)\*$/s.exec(condition)?.[1] ?? '',
  (text) => `ilike.*${escapeLike(text)}*`,
);

/** A range with two optional ends. */
export function rangeFilter(kind: Pick<FieldKind, 'parse' | 'print'>, type: 'text' | 'date') {
  return function RangeFilter({ id, collection, field, conditions, onChange }: FilterProps) {
    const place = { collection, field };
    const change = (operator: string, text: string) => {
      const rest = conditions.filter((each) => !each.startsWith(`${operator}.`));
      const parsed = text.trim() === '' ? undefined : kind.parse(place, text);
      onChange(parsed !== undefined && 'value' in parsed ? [...rest, `${operator}.${parsed.value}`] : rest);
    };
    const end = (operator: 'gte' | 'lte', label: string, name: string) => (
      <input
        id={name}
        type={type}
        aria-label={label}
        placeholder={label}
        defaultValue={operandOf(conditions, operator)}
        onChange={({ target }) => change(operator, target.value)}
      />
    );
    return (
      <div className="line">
        {end('gte', t.fields.from, id)}
        {end('lte', t.fields.upTo, `${id}-to`)}
      </div>
    );
  };
}

/** A condition on one of several values. */
export function inList(values: readonly unknown[]): string {
  return `in.(${values.map(quoted).join(',')})`;
}
