/** The choices that only a person can make: the match, existing rows, empty cells, and names without a row. */
import { useId } from 'react';
import { isNeeded, labelOf, may, referenceOf, titleFieldOf } from '../api/catalogue.ts';
import { Check, Select } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import type { Decision, ImportOptions } from './columns.ts';
import { assignsKeys, firstDecision, matchesOf, matchLabel, matchName } from './columns.ts';
import type { Plan } from './plan.ts';

interface QuestionsProps {
  readonly options: ImportOptions;
  readonly plan: Plan;
  readonly onChange: (options: ImportOptions) => void;
}

/** More names are only counted. */
const SHOWN_NAMES = 5;

export function Questions({ options, plan, onChange }: QuestionsProps) {
  const { collection, sheet, mapping, match, decision, clearsEmpty } = options;
  const id = useId();
  const matches = matchesOf(collection, sheet, mapping);
  const current = matches.find((each) => matchName(each) === matchName(match));
  const mayCreate = may('create', collection);
  const isKey = current?.fields === collection.key;
  // A row cannot repeat a unique value. It can repeat a key, since it gets a new one.
  const mayAdd = mayCreate && (isKey ? assignsKeys(collection) : current?.isUnique === false);
  const decisions: readonly Decision[] = [
    'leave',
    ...(may('update', collection) ? (['change'] as const) : []),
    ...(mayAdd ? (['add'] as const) : []),
  ];
  return (
    <>
      {matches.length > 0 && (
        <Select
          label={t.importing.matchBy}
          value={matchName(current)}
          options={[
            ...matches.map((each) => [matchName(each), matchLabel(each)] as const),
            ...(mayCreate ? [['', t.importing.matchNothing] as const] : []),
          ]}
          onChange={(name) =>
            onChange({
              ...options,
              decision: firstDecision(collection),
              match: matches.find((each) => matchName(each) === name),
            })
          }
        />
      )}
      {plan.existing > 0 && (
        <fieldset>
          <legend>
            {decision === 'leave' || decision === 'add'
              ? t.importing.exist(plan.existing)
              : t.importing.existAndDiffer(plan.existing, plan.differing)}
          </legend>
          {decisions.map((each) => (
            <Check
              key={each}
              type="radio"
              name={`${id}-existing`}
              checked={decision === each}
              onChange={() => onChange({ ...options, decision: each })}
            >
              {t.importing.decisions[each]}
            </Check>
          ))}
        </fieldset>
      )}
      {decision === 'change' && plan.emptied > 0 && (
        <Check checked={clearsEmpty} onChange={(clears) => onChange({ ...options, clearsEmpty: clears })}>
          {t.importing.clearsEmpty(plan.emptied)}
        </Check>
      )}
      <MissingNames options={options} plan={plan} onChange={onChange} />
      {sheet.notes.map((note) => (
        <p key={note} className="notice line wrap">
          {note}
        </p>
      ))}
    </>
  );
}

function MissingNames({ options, plan, onChange }: QuestionsProps) {
  const { collection, createsReferences } = options;
  const creatable = [...plan.missing].filter(([field]) => {
    const other = referenceOf(collection, field)!;
    const title = titleFieldOf(other);
    const needsOnlyTitle = other.fields.every((each) => each === title || !isNeeded(other, each));
    return may('create', other) && title !== undefined && needsOnlyTitle;
  });
  if (creatable.length === 0) return null;
  const lists = creatable.map(([field, names]) => {
    const shown = [...names].slice(0, SHOWN_NAMES).join(', ');
    return `${labelOf(field)}: ${shown}${names.size > SHOWN_NAMES ? t.importing.more(names.size - SHOWN_NAMES) : ''}`;
  });
  return (
    <Check checked={createsReferences} onChange={(creates) => onChange({ ...options, createsReferences: creates })}>
      {t.importing.createReferences(lists.join('; '))}
    </Check>
  );
}
