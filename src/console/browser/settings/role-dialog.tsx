/** The form of a role: every right, or rights on each collection, with their rows, fields and operations. */
import { useState } from 'react';
import { RIGHTS, type Right, type RoleDraft, type RuleDraft } from '../../../collection/draft.ts';
import { CHANGE_WAYS } from '../../../collection/types/operations.ts';
import { type Collection, collections, labelOf, titleOfCollection } from '../api/catalogue.ts';
import { listOf } from '../api/query/list.ts';
import { isSame } from '../base/same.ts';
import { Check, CheckList } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { type Line, linesOf, printRule, readLines, readRule } from '../find/condition-lines.ts';
import { ConditionList } from '../find/condition-list.tsx';
import { t } from '../i18n/text.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

const ALL = 'all';

/** The limits of a right. Absent fields and operations mean all of them. */
interface Limits {
  readonly lines: readonly Line[];
  readonly fields?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
}

/** By `products.read`. */
type Grants = Readonly<Record<string, Limits>>;

const NO_LIMITS: Limits = { lines: [] };

/** Whether the form can show a role: it has one rule for each right. */
export function isEditable({ rules }: RoleDraft): boolean {
  const names = rules.map(({ collection, right }) => `${collection}.${right}`);
  return new Set(names).size === names.length;
}

function grantsOf(rules: readonly RuleDraft[]): Grants {
  const all = collections.flatMap((collection) =>
    rules
      .filter((rule) => rule.collection === collection.name)
      .map(({ right, where, fields, operations }) => {
        const lines = where === undefined ? [] : linesOf(collection, readRule(collection, where));
        return [`${collection.name}.${right}`, { lines, fields, operations }] as const;
      }),
  );
  return Object.fromEntries(all);
}

/** The rule of the declaration. Null removes what it had before. False if a condition has a problem. */
function ruleOf(collection: Collection, { lines, fields, operations }: Limits): unknown {
  const { filters } = readLines(collection, lines);
  if (filters === undefined) return false;
  const rule = {
    where: printRule(collection, filters) || null,
    fields: fields ?? null,
    operations: operations ?? null,
  };
  return Object.values(rule).every((limit) => limit === null) ? true : rule;
}

interface RoleDialogProps extends Pick<ModelFormProps, 'taken'> {
  /** Absent for a new one. */
  readonly role?: RoleDraft | undefined;
}

export function RoleDialog({ role, taken }: RoleDialogProps) {
  const [before] = useState(() => grantsOf(role?.rules ?? []));
  const [isAll, setAll] = useState(role?.isAll === true);
  const [grants, setGrants] = useState(before);
  const [tried, setTried] = useState<readonly Line[]>();
  const change = (key: string, limits: Limits | undefined) => {
    const { [key]: _before, ...others } = grants;
    setGrants(limits === undefined ? others : { ...others, [key]: limits });
  };
  const rightsOf = (collection: Collection) =>
    RIGHTS.flatMap((right): readonly (readonly [string, unknown])[] => {
      const [now, was] = [grants, before].map((each) => each[`${collection.name}.${right}`]);
      const rule = now === undefined ? null : ruleOf(collection, now);
      return rule !== false && isSame(rule, was === undefined ? null : ruleOf(collection, was)) ? [] : [[right, rule]];
    });
  const patchOf = (name: string) => {
    if (isAll) return { roles: { [name]: ALL } };
    const changed = collections.map((each) => [each.name, rightsOf(each)] as const);
    const isWrong = changed.some(([, rights]) => rights.some(([, rule]) => rule === false));
    if (isWrong) {
      setTried(Object.values(grants).flatMap(({ lines }) => lines));
      return undefined;
    }
    const some = changed.filter(([, rights]) => rights.length > 0);
    return { roles: { [name]: Object.fromEntries(some.map(([each, rights]) => [each, Object.fromEntries(rights)])) } };
  };
  return (
    <ModelForm
      title={role === undefined ? t.settings.addRole : t.settings.change(role.name)}
      {...(role !== undefined && { name: role.name })}
      taken={taken}
      path="roles"
      patchOf={patchOf}
      size="large"
    >
      {(problemAt) => (
        <>
          <Check checked={isAll} onChange={setAll}>
            {t.settings.everyRight}
          </Check>
          {!isAll &&
            collections.map((each) => (
              <fieldset key={each.name}>
                <legend>{t.settings.rightsOn(titleOfCollection(each))}</legend>
                {RIGHTS.map((right) => {
                  const key = `${each.name}.${right}`;
                  // At once: the form lists the mistakes that no input asked for.
                  const [mistake, ...mistakes] = ['', '.where', '.fields', '.operations'].map((at) =>
                    problemAt(key + at),
                  );
                  return (
                    <RightInputs
                      key={key}
                      collection={each}
                      right={right}
                      limits={grants[key]}
                      before={before[key] ?? NO_LIMITS}
                      tried={tried}
                      problem={mistake}
                      problems={mistakes}
                      onChange={(limits) => change(key, limits)}
                    />
                  );
                })}
              </fieldset>
            ))}
        </>
      )}
    </ModelForm>
  );
}

interface RightInputsProps {
  readonly collection: Collection;
  readonly right: Right;
  /** Absent if the role does not have the right. */
  readonly limits: Limits | undefined;
  /** The limits that it gets back with the right. */
  readonly before: Limits;
  readonly tried: readonly Line[] | undefined;
  readonly problem: string | undefined;
  /** Those of the rows, the fields and the operations. */
  readonly problems: readonly (string | undefined)[];
  readonly onChange: (limits: Limits | undefined) => void;
}

/** A right, and the rows, fields and operations that it is limited to. */
function RightInputs({ collection, right, limits, before, tried, problem, problems, onChange }: RightInputsProps) {
  const isLimited = limits !== undefined && !isSame(limits, NO_LIMITS);
  const [isOpen] = useState(isLimited);
  const labelFor = (limit: keyof typeof t.settings.limitNames) =>
    t.settings.limitOf(t.settings.limitNames[limit], titleOfCollection(collection), t.settings.rights[right]);
  const [rowProblem, fieldProblem, operationProblem] = problems;
  return (
    <div>
      <Check checked={limits !== undefined} onChange={(isOn) => onChange(isOn ? before : undefined)}>
        {t.settings.rights[right]}
      </Check>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {limits !== undefined && (
        <details open={isOpen || rowProblem !== undefined}>
          <summary>{t.settings.limits}</summary>
          <fieldset className="check-list stack">
            <legend>{labelFor('where')}</legend>
            <p className="help">{limits.lines.length === 0 ? t.settings.allRows : t.find.allMatch}</p>
            <ConditionList
              isRule
              hasClaims
              query={listOf(collection)}
              lines={limits.lines}
              tried={tried}
              onChange={(lines) => onChange({ ...limits, lines })}
            />
            {rowProblem !== undefined && <Problem>{rowProblem}</Problem>}
          </fieldset>
          {right !== 'delete' && (
            <CheckList
              label={labelFor('fields')}
              options={collection.fields.map((field) => [field.name, labelOf(field)] as const)}
              fixed={right === 'read' ? collection.key.map(({ name }) => name) : []}
              value={limits.fields}
              problem={fieldProblem}
              onChange={(fields) => onChange({ ...limits, fields })}
            />
          )}
          {right === 'update' && (
            <CheckList
              label={labelFor('operations')}
              options={CHANGE_WAYS.map((way) => [way, t.settings.ways[way]] as const)}
              value={limits.operations}
              problem={operationProblem}
              onChange={(operations) => onChange({ ...limits, operations })}
            />
          )}
        </details>
      )}
    </div>
  );
}
