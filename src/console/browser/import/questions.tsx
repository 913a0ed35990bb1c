/** The choices that only a person can make: the match, existing rows, empty cells, and names without a row. */
import { useId } from 'react';
import { labelOf, may, referenceOf } from '../api/catalogue.ts';
import { Labelled } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { assignsKeys, matchesOf, matchLabel, matchName } from './columns.ts';
import { needsOnlyTitle } from './names.ts';
import type { Decision, ImportOptions, Plan } from './plan.ts';
import { firstDecision } from './use-import.ts';

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
  const current = matches.find((each) => match !== undefined && matchName(each) === matchName(match));
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
        <Labelled id={id} label={t.importing.matchBy}>
          <select
            id={id}
            value={current === undefined ? '' : matchName(current)}
            onChange={({ target }) =>
              onChange({
                ...options,
                decision: firstDecision(collection),
                match: matches.find((each) => matchName(each) === target.value),
              })
            }
          >
            {matches.map((each) => (
              <option key={matchName(each)} value={matchName(each)}>
                {matchLabel(each)}
              </option>
            ))}
            {mayCreate && <option value="">{t.importing.matchNothing}</option>}
          </select>
        </Labelled>
      )}
      {plan.existing > 0 && (
        <fieldset>
          <legend>
            {decision === 'leave' || decision === 'add'
              ? t.importing.exist(plan.existing)
              : t.importing.existAndDiffer(plan.existing, plan.differing)}
          </legend>
          {decisions.map((each) => (
            <label key={each} className="line">
              <input
                type="radio"
                name={`${id}-existing`}
                checked={decision === each}
                onChange={() => onChange({ ...options, decision: each })}
              />
              {t.importing.decisions[each]}
            </label>
          ))}
        </fieldset>
      )}
      {decision === 'change' && plan.emptied > 0 && (
        <label className="line">
          <input
            type="checkbox"
            checked={clearsEmpty}
            onChange={({ target }) => onChange({ ...options, clearsEmpty: target.checked })}
          />
          {t.importing.clearsEmpty(plan.emptied)}
        </label>
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
    return may('create', other) && needsOnlyTitle(other);
  });
  if (creatable.length === 0) return null;
  const lists = creatable.map(([field, names]) => {
    const shown = [...names].slice(0, SHOWN_NAMES).join(', ');
    return `${labelOf(field)}: ${shown}${names.size > SHOWN_NAMES ? t.importing.more(names.size - SHOWN_NAMES) : ''}`;
  });
  return (
    <label className="line">
      <input
        type="checkbox"
        checked={createsReferences}
        onChange={({ target }) => onChange({ ...options, createsReferences: target.checked })}
      />
      {t.importing.createReferences(lists.join('; '))}
    </label>
  );
}
