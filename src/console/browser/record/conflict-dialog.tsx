/** Shows both versions of the values that two people changed, and asks which to keep. */
import { useState } from 'react';
import { labelOf } from '../api/catalogue.ts';
import { useQuestions } from '../api/question.ts';
import { type Conflict, conflicts, type Decision } from '../api/questions.ts';
import { Dialog } from '../components/dialog.tsx';
import { Check } from '../components/inputs.tsx';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

export default function ConflictDialog() {
  return useQuestions(conflicts).map(({ id, subject, answer }) => (
    <Versions key={id} conflict={subject} finish={answer} />
  ));
}

interface VersionsProps {
  readonly conflict: Conflict;
  readonly finish: (decision: Decision) => void;
}

function Versions({ conflict: { collection, mine, theirs, disputed }, finish }: VersionsProps) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const toggle = (name: string, isTheirs: boolean) => {
    const next = new Set(kept);
    if (isTheirs) next.add(name);
    else next.delete(name);
    setKept(next);
  };
  const decision = () => Object.fromEntries(Object.entries(mine).filter(([name]) => !kept.has(name)));
  const version = (name: string, isTheirs: boolean) => {
    const field = collection.byName.get(name)!;
    const value = (isTheirs ? theirs : mine)[name];
    return (
      <Check type="radio" name={name} checked={kept.has(name) === isTheirs} onChange={() => toggle(name, isTheirs)}>
        {isTheirs ? t.record.theirs : t.record.mine}: {formatValue({ collection, field }, value) || t.app.empty}
      </Check>
    );
  };
  return (
    <Dialog
      title={t.record.conflict}
      onClose={() => finish(undefined)}
      submit={{ label: t.record.conflictSave, onSubmit: () => finish(decision()) }}
    >
      <p>{t.record.conflictText}</p>
      {disputed.map((name) => (
        <fieldset key={name}>
          <legend>{labelOf(collection.byName.get(name)!)}</legend>
          {version(name, false)}
          {version(name, true)}
        </fieldset>
      ))}
    </Dialog>
  );
}
