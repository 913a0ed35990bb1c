/** The menu of the person: password, log out, appearance and language. */
import { useState } from 'react';
import { isLoggedIn, logOut, requestLogin, session, token } from '../api/session/session.ts';
import { showDialog } from '../components/dialog.tsx';
import { choiceItems, Menu, type MenuItem } from '../components/menu.tsx';
import { dialogOnDemand } from '../components/on-demand.tsx';
import { chooseLanguage, LANGUAGES, type Language, language } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { clearDrafts } from '../record/stored-drafts.ts';
import { chooseTheme, currentTheme, THEMES, type Theme } from './theme.ts';

const PasswordDialog = dialogOnDemand(() => import('./password-dialog.tsx'));

export function AccountMenu() {
  const [theme, setTheme] = useState(currentTheme);
  const showTheme = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  const languages = Object.keys(LANGUAGES) as Language[];
  const groups = [
    ...(session === undefined && token.get() === undefined
      ? []
      : [{ ...(session?.name ? { label: session.name } : {}), items: sessionItems() }]),
    { label: t.app.theme, items: choiceItems(THEMES, theme, (each) => t.app.themes[each], showTheme) },
    { label: t.app.language, items: choiceItems(languages, language, (each) => LANGUAGES[each], chooseLanguage) },
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
