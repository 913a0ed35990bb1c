/** The menu of the person: password, log out, appearance and language. */
import { useState } from 'react';
import { isLoggedIn, logOut, requestLogin, session } from '../api/session/session.ts';
import { token } from '../api/session/token.ts';
import { showDialog } from '../components/dialog.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { chooseLanguage, LANGUAGES, type Language, language } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { clearDrafts } from '../record/stored-drafts.ts';
import { chooseTheme, currentTheme, THEMES } from './theme.ts';

const PasswordDialog = onDemand(() => import('./password-dialog.tsx'));

export function AccountMenu() {
  const [theme, setTheme] = useState(currentTheme);
  const groups = [
    ...(session === undefined && token.get() === undefined
      ? []
      : [{ ...(session?.name ? { label: session.name } : {}), items: sessionItems() }]),
    {
      label: t.app.theme,
      items: THEMES.map((each) => ({
        label: t.app.themes[each],
        isChecked: each === theme,
        onChoose: () => {
          chooseTheme(each);
          setTheme(each);
        },
      })),
    },
    {
      label: t.app.language,
      items: (Object.keys(LANGUAGES) as Language[]).map((each) => ({
        label: LANGUAGES[each],
        isChecked: each === language,
        onChoose: () => chooseLanguage(each),
      })),
    },
  ];
  return <Menu label={t.app.account} icon="user" groups={groups} />;
}

function forgetToken(): void {
  token.clear();
  clearDrafts();
  location.reload();
}

function endSession(): void {
  clearDrafts();
  void logOut();
}

function sessionItems(): readonly MenuItem[] {
  if (session === undefined) return [{ label: t.app.logOut, icon: 'log-out', onChoose: forgetToken }];
  if (!isLoggedIn) return [{ label: t.app.logIn, icon: 'log-in', onChoose: () => requestLogin() }];
  return [
    { label: t.app.changePassword, icon: 'key-round', onChoose: () => showDialog(<PasswordDialog />) },
    { label: t.app.logOut, icon: 'log-out', onChoose: endSession },
  ];
}
