/** The form of a role: every right, or rights on each collection, with their rows, fields and operations. */
import { useState } from 'react';
import { RIGHTS, type Right, type RoleDraft, type RuleDraft } from '../../../collection/draft.ts';
import { CHANGE_WAYS } from '../../../collection/types/operations.ts';
import { collections, titleOfCollection } from '../api/catalogue.ts';
import { Check, TextField } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

const ALL = 'all';

/** The limits of a right as texts. */
interface Limits {
  readonly where: string;
  readonly fields: string;
  readonly operations: string;
}

/** By `products.read`. */
type Grants = Readonly<Record<string, Limits>>;

const NO_LIMITS: Limits = { where: '', fields: '', operations: '' };
const LIMITS: Readonly<Record<Right, readonly (keyof Limits)[]>> = {
  read: ['where', 'fields'],
  create: ['where', 'fields'],
  update: ['where', 'fields', 'operations'],
  delete: ['where'],
};

/** Whether the form can show a role: it has one rule for each right. */
export function isEditable({ rules }: RoleDraft): boolean {
  const names = rules.map(({ collection, right }) => `${collection}.${right}`);
  return new Set(names).size === names.length;
}

const limitsOf = ({ where = '', fields = [], operations = [] }: RuleDraft): Limits => ({
  where,
  fields: fields.join(', '),
  operations: operations.join(', '),
});

/** The rule of the declaration. Null removes what it had before. */
function ruleOf(limits: Limits): unknown {
  if (limits.where + limits.fields + limits.operations === '') return true;
  const list = (text: string) => (text.trim() === '' ? null : text.split(',').map((each) => each.trim()));
  return {
    where: limits.where.trim() === '' ? null : limits.where.trim(),
    fields: list(limits.fields),
    operations: list(limits.operations),
  };
}

interface RoleDialogProps extends Pick<ModelFormProps, 'taken'> {
  /** Absent for a new one. */
  readonly role?: RoleDraft | undefined;
}

export function RoleDialog({ role, taken }: RoleDialogProps) {
  const rules = role?.rules ?? [];
  const before = Object.fromEntries(rules.map((rule) => [`${rule.collection}.${rule.right}`, limitsOf(rule)]));
  const [isAll, setAll] = useState(role?.isAll === true);
  const [grants, setGrants] = useState<Grants>(before);
  const patchOf = (name: string) => {
    const changed = collections.map((each) => {
      const rights = RIGHTS.flatMap((right): readonly (readonly [string, unknown])[] => {
        const key = `${each.name}.${right}`;
        const [now, was] = [grants[key], before[key]];
        if (now !== undefined) return now === was ? [] : [[right, ruleOf(now)]];
        return was === undefined ? [] : [[right, null]];
      });
      return [each.name, Object.fromEntries(rights)] as const;
    });
    const some = changed.filter(([, rights]) => Object.keys(rights).length > 0);
    return { roles: { [name]: isAll ? ALL : Object.fromEntries(some) } };
  };
  const grant = (key: string, limits: Limits | undefined) => {
    const { [key]: _before, ...others } = grants;
    setGrants(limits === undefined ? others : { ...others, [key]: limits });
  };
  const inputs = (key: string, right: Right, label: string) => {
    const limits = grants[key];
    return (
      <div key={key}>
        <Check
          checked={limits !== undefined}
          onChange={(isOn) => grant(key, isOn ? (before[key] ?? NO_LIMITS) : undefined)}
        >
          {t.settings.rights[right]}
        </Check>
        {limits !== undefined && (
          <details open={limits !== NO_LIMITS}>
            <summary>{t.settings.limits}</summary>
            {LIMITS[right].map((limit) => (
              <TextField
                key={limit}
                label={t.settings.limitOf(t.settings.limitNames[limit], label, t.settings.rights[right])}
                help={limit === 'operations' ? CHANGE_WAYS.join(', ') : t.settings.limitHelp[limit]}
                value={limits[limit]}
                onChange={(text) => grant(key, { ...limits, [limit]: text })}
              />
            ))}
          </details>
        )}
      </div>
    );
  };
  return (
    <ModelForm
      title={role === undefined ? t.settings.addRole : t.settings.change(role.name)}
      {...(role !== undefined && { name: role.name })}
      taken={taken}
      patchOf={patchOf}
    >
      <Check checked={isAll} onChange={setAll}>
        {t.settings.everyRight}
      </Check>
      {!isAll &&
        collections.map((each) => (
          <fieldset key={each.name}>
            <legend>{t.settings.rightsOn(titleOfCollection(each))}</legend>
            {RIGHTS.map((right) => inputs(`${each.name}.${right}`, right, titleOfCollection(each)))}
          </fieldset>
        ))}
    </ModelForm>
  );
}
