/** The sessions of all people, with the ways to end them, and the latest logins with those that failed. */
import { useDeferredValue, useState } from 'react';
import { escapeLike } from '../api/query/text.ts';
import { session } from '../api/session/session.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/inputs.tsx';
import { Loaded } from '../components/small.tsx';
import { notify, notifyError } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { changeSetting, useSetting } from './api.ts';
import { SettingsPart, SettingsTable } from './settings-parts.tsx';

const SHOWN = 200;

/** Details of a session that began before they were stored are missing. */
interface Origin {
  readonly at: string | null;
  readonly user_name: string | null;
  readonly address: string | null;
  readonly device: string | null;
}

interface Session extends Origin {
  readonly hash: string;
  readonly user_name: string;
  readonly expires_at: string;
}

interface Login extends Origin {
  readonly id: string;
  readonly at: string;
  readonly result: keyof typeof t.settings.loginResults;
}

const end = (what: string): Promise<void> =>
  changeSetting('DELETE', `sessions${what}`).then(() => notify(t.settings.sessionsEnded), notifyError);

const ofUser = (name: string, operator = 'eq') => `?user_name=${operator}.${encodeURIComponent(name)}`;

export function Sessions() {
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const filter = name === '' ? '' : `&user_name=ilike.${encodeURIComponent(`*${escapeLike(name)}*`)}`;
  const sessions = useSetting<readonly Session[]>(`sessions?order=expires_at.desc&limit=${SHOWN}${filter}`);
  const logins = useSetting<readonly Login[]>(`logins?order=at.desc&limit=${SHOWN}${filter}`);
  const me = session?.name ?? '';
  return (
    <>
      <div className="line wrap">
        <TextField label={t.settings.findUser} type="search" value={typed} onChange={setTyped} />
        <span className="space" />
        {me !== '' && <Button onClick={() => void end(ofUser(me, 'neq'))}>{t.settings.endOthers}</Button>}
      </div>
      <SettingsPart title={t.settings.sessions}>
        <Loaded query={sessions}>
          {(rows) => (
            <>
              {rows.length === 0 && <p className="help">{t.settings.noSessions}</p>}
              {rows.length === SHOWN && <p className="help">{t.settings.firstSessions(SHOWN)}</p>}
              <SettingsTable
                heads={t.settings.sessionHeads}
                rows={rows.map((each) => ({ ...each, name: each.user_name, id: each.hash }))}
                cellsOf={(each) => [each.at && formatMoment(each.at), formatMoment(each.expires_at), ...placeOf(each)]}
                actionsOf={({ hash, user_name }) => [
                  { label: t.settings.endSession, onClick: () => void end(`/${hash}`) },
                  rows.filter((each) => each.user_name === user_name).length > 1 && {
                    label: t.settings.endAllOf(user_name),
                    onClick: () => void end(ofUser(user_name)),
                  },
                ]}
              />
            </>
          )}
        </Loaded>
      </SettingsPart>
      <SettingsPart title={t.settings.logins}>
        <Loaded query={logins}>
          {(rows) =>
            rows.length === 0 ? (
              <p className="help">{t.settings.noLogins}</p>
            ) : (
              <SettingsTable
                heads={t.settings.loginHeads}
                rows={rows.map((each) => ({ ...each, name: formatMoment(each.at) }))}
                cellsOf={(each) => [
                  each.user_name,
                  <span key="result" className={each.result === 'ok' ? '' : 'problem'}>
                    {t.settings.loginResults[each.result]}
                  </span>,
                  ...placeOf(each),
                ]}
              />
            )
          }
        </Loaded>
      </SettingsPart>
    </>
  );
}

function placeOf({ address, device }: Origin) {
  return [
    address,
    <span key="device" title={device ?? ''}>
      {deviceName(device ?? '')}
    </span>,
  ];
}

const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Macintosh', 'Linux'];

/** The browser and the system of a User-Agent; its first word for other programs. */
export function deviceName(agent: string): string {
  const browser = Object.entries(BROWSERS).find(([sign]) => agent.includes(`${sign}/`))?.[1];
  const system = SYSTEMS.find((each) => agent.includes(each));
  if (browser === undefined) return agent.split(' ')[0]!;
  return system === undefined ? browser : t.settings.deviceOn(browser, system.replace('Macintosh', 'Mac'));
}
