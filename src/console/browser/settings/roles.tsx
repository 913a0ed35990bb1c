/** The roles of the declaration: their rights, and how many users and keys have them. */
import type { RoleDraft, RuleDraft } from '../../../collection/draft.ts';
import { collectionNamed, labelOf, titleOfCollection } from '../api/catalogue.ts';
import { Button } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { describeRule } from '../find/condition-lines.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { useAccounts, useRoles } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { previewChange } from './preview-dialog.tsx';
import { isEditable, RoleDialog } from './role-dialog.tsx';
import SeenDialog from './seen-dialog.tsx';

export function Roles() {
  const { data, error, refetch } = useRoles();
  const { data: users = [], isPending: awaitsUsers } = useAccounts('users');
  const { data: keys = [], isPending: awaitsKeys } = useAccounts('keys');
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  // A role that someone has cannot be removed.
  if (data === undefined || awaitsUsers || awaitsKeys) return <Skeleton />;
  const held = (role: string, accounts: typeof users) =>
    formatNumber(accounts.filter((each) => each.role === role).length);
  const isHeld = ({ name }: RoleDraft) => [...users, ...keys].some((each) => each.role === name);
  return (
    <>
      <div>
        <Button
          kind="primary"
          icon="plus"
          onClick={() => showDialog(<RoleDialog taken={data.map(({ name }) => name)} />)}
        >
          {t.settings.addRole}
        </Button>
      </div>
      {data.map((role) => (
        <section key={role.name} className="panel stack settings-part">
          <div className="line wrap">
            <h2>{role.name}</h2>
            <span className="count">{t.settings.holders(held(role.name, users), held(role.name, keys))}</span>
            <span className="space" />
            <Button onClick={() => showDialog(<SeenDialog role={role.name} />)}>
              {t.settings.seen}
              <span className="visually-hidden"> {role.name}</span>
            </Button>
            {isEditable(role) && (
              <Button onClick={() => showDialog(<RoleDialog role={role} taken={[]} />)}>
                {t.app.change}
                <span className="visually-hidden"> {role.name}</span>
              </Button>
            )}
            {!isHeld(role) && (
              <Button onClick={() => previewChange({ roles: { [role.name]: null } })}>
                {t.settings.remove.users}
                <span className="visually-hidden"> {role.name}</span>
              </Button>
            )}
          </div>
          <Rights role={role} />
          <DeclaredText path={['roles', role.name]} />
        </section>
      ))}
    </>
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
