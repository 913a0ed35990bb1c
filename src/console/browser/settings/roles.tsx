/** The roles of the declaration: their rights, and how many users and keys have them. */
import type { RoleDraft, RuleDraft } from '../../../collection/draft.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { formatNumber } from '../fields/numbers.ts';
import { t } from '../i18n/text.ts';
import { useAccounts, useRoles } from './api.ts';

export function Roles() {
  const { data, error, refetch } = useRoles();
  const users = useAccounts('users').data ?? [];
  const keys = useAccounts('keys').data ?? [];
  const held = (role: string, accounts: typeof users) =>
    formatNumber(accounts.filter((each) => each.role === role).length);
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  return data.map((role) => (
    <section key={role.name} className="panel stack settings-part">
      <div className="line wrap">
        <h2>{role.name}</h2>
        <span className="count">{t.settings.holders(held(role.name, users), held(role.name, keys))}</span>
      </div>
      <Rights role={role} />
    </section>
  ));
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
            <dt>{collection}</dt>
            <dd>{some.map(ruleWords).join('; ')}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function ruleWords({ right, where, fields }: RuleDraft): string {
  const limits = [fields && t.settings.someFields(fields.join(', ')), where && t.settings.someRows(where)];
  const words = limits.filter((each) => each).join(', ');
  return words === '' ? t.settings.rights[right] : `${t.settings.rights[right]} (${words})`;
}
