/** The settings of the service for administrators, and users for those who manage some. */
import { Link, useParams } from 'wouter';
import { hasAllSettings, hasSettings } from '../api/session/page-data.ts';
import { session } from '../api/session/session.ts';
import { EmptyState, PageTitle } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { Accounts } from './accounts.tsx';
import { Backups } from './backups.tsx';
import { Model } from './model.tsx';
import { Roles } from './roles.tsx';
import { Sessions } from './sessions.tsx';
import { Webhooks } from './webhooks.tsx';

const ALL_PARTS = ['users', 'sessions', 'keys', 'roles', 'model', 'webhooks', 'backups'] as const;
/** Without roles, only the data model has settings. */
const PARTS = session === undefined ? (['model'] as const) : hasAllSettings ? ALL_PARTS : (['users'] as const);

export default function SettingsPage() {
  const { part } = useParams();
  const shown = PARTS.find((each) => each === part) ?? PARTS[0];
  if (!hasSettings) return <EmptyState isPage title={t.settings.title} text={t.settings.unavailable} />;
  return (
    <section className="page stack settings-page">
      <PageTitle title={t.settings.title} />
      <nav className="view-tabs" aria-label={t.settings.title}>
        {PARTS.map((each) => (
          <Link key={each} href={`/settings/${each}`} aria-current={each === shown ? 'page' : undefined}>
            {t.settings.parts[each]}
          </Link>
        ))}
      </nav>
      {session === undefined && <p className="help">{t.settings.noRoles}</p>}
      {(shown === 'users' || shown === 'keys') && <Accounts key={shown} kind={shown} />}
      {shown === 'sessions' && <Sessions />}
      {shown === 'roles' && <Roles />}
      {shown === 'model' && <Model />}
      {shown === 'webhooks' && <Webhooks />}
      {shown === 'backups' && <Backups />}
    </section>
  );
}
