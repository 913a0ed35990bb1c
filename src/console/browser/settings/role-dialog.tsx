/** The form of a new role: every right, or some rights on each collection. */
import { useState } from 'react';
import { RIGHTS } from '../../../collection/draft.ts';
import { collections, titleOfCollection } from '../api/catalogue.ts';
import { Check } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import { ModelForm, type ModelFormProps } from './model-form.tsx';

const ALL = 'all';

export function RoleDialog({ taken, onClose }: Pick<ModelFormProps, 'taken' | 'onClose'>) {
  /** `products.read`, or `all`. */
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const isAll = chosen.includes(ALL);
  const patchOf = (role: string) => {
    const rights = collections.map((each) => [
      each.name,
      Object.fromEntries(
        RIGHTS.filter((right) => chosen.includes(`${each.name}.${right}`)).map((each) => [each, true]),
      ),
    ]);
    const granted = rights.filter(([, some]) => Object.keys(some!).length > 0);
    return { roles: { [role]: isAll ? ALL : Object.fromEntries(granted) } };
  };
  const box = (key: string, label: string) => (
    <Check
      key={key}
      checked={chosen.includes(key)}
      onChange={(isOn) => setChosen(isOn ? [...chosen, key] : chosen.filter((each) => each !== key))}
    >
      {label}
    </Check>
  );
  return (
    <ModelForm title={t.settings.addRole} taken={taken} patchOf={patchOf} onClose={onClose}>
      {box(ALL, t.settings.everyRight)}
      {!isAll &&
        collections.map((each) => (
          <fieldset key={each.name}>
            <legend>{t.settings.rightsOn(titleOfCollection(each))}</legend>
            <div className="line wrap">
              {RIGHTS.map((right) => box(`${each.name}.${right}`, t.settings.rights[right]))}
            </div>
          </fieldset>
        ))}
    </ModelForm>
  );
}
