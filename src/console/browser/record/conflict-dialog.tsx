/** Shows both versions of the values that two people changed, and asks which to keep. */

import { useState } from 'react';
import { labelOf } from '../api/catalogue.ts';
import type { Conflict, Decision } from '../api/questions.ts';
import { Dialog } from '../components/dialog.tsx';
import { Check } from '../components/inputs.tsx';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

interface ConflictDialogProps {
  readonly conflict: Conflict;
  readonly decide: (decision: Decision) => void;
}

export default function ConflictDialog({ conflict, decide }: ConflictDialogProps) {
  const { collection, mine, theirs, person, disputed } = conflict;
  /** By field. Nothing is chosen at first: a key that was meant for the page behind must not decide. */
  const [isTheirs, choose] = useState<Readonly<Record<string, boolean>>>({});
  const decision = () => Object.fromEntries(Object.entries(mine).filter(([name]) => isTheirs[name] !== true));
  return (
    <Dialog
      title={t.record.conflict(person)}
      submit={{
        label: t.record.conflictSave,
        isBusy: Object.keys(isTheirs).length < disputed.length,
        onSubmit: () => decide(decision()),
      }}
    >
      <p>{t.record.conflictText}</p>
      {disputed.map((name) => {
        const field = collection.byName.get(name)!;
        return (
          <fieldset key={name}>
            <legend>{labelOf(field)}</legend>
            {[mine, theirs].map((row) => (
              <Check
                key={row === mine ? 'mine' : 'theirs'}
                type="radio"
                name={name}
                checked={isTheirs[name] === (row === theirs)}
                onChange={() => choose({ ...isTheirs, [name]: row === theirs })}
              >
                {row === mine ? t.record.mine : t.record.theirs}:{' '}
                {formatValue({ collection, field }, row[name]) || t.app.empty}
              </Check>
            ))}
          </fieldset>
        );
      })}
    </Dialog>
  );
}
