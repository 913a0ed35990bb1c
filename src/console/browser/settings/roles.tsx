/** The roles of the declaration: their rights, and how many users and keys have them. */
import type { RoleDraft, RuleDraft } from '../../../collection/draft.ts';
import { collectionNamed, labelOf, titleOfCollection } from '../api/catalogue.ts';
import { showDialog } from '../components/dialog.tsx';
import { Loaded } from '../components/small.tsx';
import { describeRule } from '../find/condition-lines.ts';
import { t } from '../i18n/text.ts';
import { useAccounts, useRoles } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { previewChange } from './preview-dialog.tsx';
import { isEditable, RoleDialog } from './role-dialog.tsx';
import SeenDialog from './seen-dialog.tsx';
import { AddButton, SettingsPart } from './settings-parts.tsx';

export function Roles() {
  const { data: roles, error, refetch } = useRoles();
  const { data: users = [], isPending: awaitsUsers } = useAccounts('users');
  const { data: keys = [], isPending: awaitsKeys } = useAccounts('keys');
  const held = (role: string, accounts: typeof users) => accounts.filter((each) => each.role === role).length;
  const isHeld = ({ name }: RoleDraft) => [...users, ...keys].some((each) => each.role === name);
  // A role that someone has cannot be removed.
  const data = awaitsUsers || awaitsKeys ? undefined : roles;
  return (
    <Loaded query={{ data, error, refetch }}>
      {(all) => (
        <>
          <AddButton
            label={t.settings.addRole}
            onClick={() => showDialog(<RoleDialog taken={all.map(({ name }) => name)} />)}
          />
          {all.map((role) => (
            <SettingsPart
              key={role.name}
              title={role.name}
              about={<span className="count">{t.settings.holders(held(role.name, users), held(role.name, keys))}</span>}
              actions={[
                { label: t.settings.seen, onClick: () => showDialog(<SeenDialog role={role.name} />) },
                isEditable(role) && {
                  label: t.app.change,
                  onClick: () => showDialog(<RoleDialog role={role} taken={[]} />),
                },
                !isHeld(role) && {
                  label: t.settings.remove.users,
                  onClick: () => previewChange({ roles: { [role.name]: null } }),
                },
              ]}
            >
              <Rights role={role} />
              <DeclaredText path={['roles', role.name]} />
            </SettingsPart>
          ))}
        </>
      )}
    </Loaded>
  );
}

function Rights({ role: { isAll, include = [], rules } }: { readonly role: RoleDraft }) {
  if (isAll === true) return <p>{t.settings.everyRight}</p>;
  const byCollection = [...Map.groupBy(rules, ({ collection }) => collection)];
  return (
    <>
      {include.length > 0 && <p>{t.settings.includes(include.join(', '))}</p>}
      {byCollection.length === 0 && include.length === 0 && <p>{t.settings.noRights}</p>}
      <dl>
        {byCollection.map(([collection, some]) => (
          <div key={collection} className="line wrap">
            <dt>{titleOfCollection(collectionNamed(collection) ?? { name: collection })}</dt>
            <dd>{some.map(ruleWords).join('; ')}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function ruleWords({ collection: name, right, where, fields, operations }: RuleDraft): string {
  const collection = collectionNamed(name);
  const labelsOf = (names: readonly string[]) =>
    names.map((each) => labelOf(collection?.byName.get(each) ?? { name: each })).join(', ');
  const limits = [
    fields && t.settings.someFields(labelsOf(fields)),
    where && t.settings.someRows(collection === undefined ? where : describeRule(collection, where)),
    operations && t.settings.someOperations(operations.map((way) => t.settings.ways[way]).join(', ')),
  ];
  const words = limits.filter((each) => each).join(', ');
  return words === '' ? t.settings.rights[right] : `${t.settings.rights[right]} (${words})`;
}
