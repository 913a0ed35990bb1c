/** All filters of a list as conditions. */
import { useState } from 'react';
import type { ListQuery, Pair } from '../api/query/list.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { type Line, linesOf, newLine, readLines } from './condition-lines.ts';
import { ConditionList } from './condition-list.tsx';

interface AdvancedDialogProps {
  readonly query: ListQuery;
  readonly onApply: (filters: readonly Pair[]) => void;
}

export default function AdvancedDialog({ query, onApply }: AdvancedDialogProps) {
  const { collection, filters } = query;
  const [lines, setLines] = useState(() =>
    filters.length === 0 ? [newLine(collection)] : linesOf(collection, filters),
  );
  const [tried, setTried] = useState<readonly Line[]>();
  const onSubmit = () => {
    const read = readLines(collection, lines);
    if (read.filters !== undefined) return onApply(read.filters);
    setTried(lines);
    return false;
  };
  return (
    <Dialog title={t.find.allConditions} size="large" submit={{ label: t.find.apply, onSubmit }}>
      <p>{t.find.allMatch}</p>
      <ConditionList query={query} lines={lines} tried={tried} onChange={setLines} />
    </Dialog>
  );
}
