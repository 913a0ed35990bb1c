/** The menu of the person: password, log out, appearance and language. */
import { KeyRound, LogIn, LogOut, User } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { isLoggedIn, logOut, requestLogin, session } from '../api/session/session.ts';
import { token } from '../api/session/token.ts';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { chooseLanguage, LANGUAGES, type Language, language } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { clearDrafts } from '../record/stored-drafts.ts';
import { chooseTheme, currentTheme, THEMES } from './theme.ts';

const PasswordDialog = lazy(() => import('./password-dialog.tsx'));

export function AccountMenu() {
  const [isChanging, setChanging] = useState(false);
  const [theme, setTheme] = useState(currentTheme);
  const groups = [
    ...(session === undefined && token.get() === null
      ? []
      : [{ ...(session?.name ? { label: session.name } : {}), items: sessionItems(() => setChanging(true)) }]),
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
  return (
    <>
      <Menu label={t.app.account} groups={groups}>
        <User size={20} />
      </Menu>
      {isChanging && (
        <Suspense>
          <PasswordDialog onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  );
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

function sessionItems(changePassword: () => void): readonly MenuItem[] {
  if (session === undefined) return [{ label: t.app.logOut, icon: <LogOut size={16} />, onChoose: forgetToken }];
  if (!isLoggedIn) return [{ label: t.app.logIn, icon: <LogIn size={16} />, onChoose: () => requestLogin() }];
  return [
    { label: t.app.changePassword, icon: <KeyRound size={16} />, onChoose: changePassword },
    { label: t.app.logOut, icon: <LogOut size={16} />, onChoose: endSession },
  ];
}
