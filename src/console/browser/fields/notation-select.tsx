/** The notation of the numbers or dates of a column, as a choice. Nothing if no cell depends on it. */
import type { Notations } from '../../../import/cells.ts';
import type { Notation } from '../../../import/notation.ts';
import type { Field } from '../api/catalogue.ts';
import { Options } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';

interface NotationSelectProps {
  readonly notations: Notations | undefined;
  readonly field: Field | undefined;
  /** The name of the column for people. */
  readonly column: string;
  readonly onChange: (field: Field, notation: Notation) => void;
}

export function NotationSelect({ notations, field, column, onChange }: NotationSelectProps) {
  const notation = field && notations?.of(field);
  if (notation === undefined || notation.choices.length === 0) return null;
  return (
    <select
      aria-label={t.importing.formatOf(column)}
      value={notation.current() ?? ''}
      onChange={({ target }) => onChange(field!, target.value as Notation)}
    >
      <Options of={notation.choices.map((each) => [each, t.importing.formats[each]] as const)} />
    </select>
  );
}
