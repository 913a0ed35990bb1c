/** The bar at the top of every page: page title, theme, refresh and account. */
import { memo, Suspense, useState } from 'react';
import { useLoading, useRefresh, useSidebarState, useTheme } from 'react-admin';
import { isLoggedIn, logOut, requestLogin, session } from './shared/api/session.ts';
import { token } from './shared/api/token.ts';
import { Icon } from './shared/page/icon.tsx';
import { lazyPart } from './shared/page/page-boundary.tsx';
import { TitleInBar } from './shared/page/page-title.tsx';

const PasswordDialog = lazyPart(async () => (await import('./password-dialog.tsx')).PasswordDialog);

export const ConsoleBar = memo(function ConsoleBar() {
  return (
    <header className="bar">
      <MenuButton />
      <TitleInBar />
      <ThemeButton />
      <RefreshButton />
      {token.get() !== null && <SignOut />}
      {session !== undefined && <Person />}
    </header>
  );
});

interface BarButtonProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function BarButton({ label, onClick, children }: BarButtonProps) {
  return (
    <button type="button" className="round" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

function MenuButton() {
  const [isOpen, setOpen] = useSidebarState();
  return (
    <BarButton label={isOpen ? 'Close menu' : 'Open menu'} onClick={() => setOpen(!isOpen)}>
      <Icon name="menu" size={24} />
    </BarButton>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const isDark = theme === 'dark';
  return (
    <BarButton label="Toggle light/dark mode" onClick={() => setTheme(isDark ? 'light' : 'dark')}>
      <Icon name={isDark ? 'light' : 'dark'} size={24} />
    </BarButton>
  );
}

/** Its icon spins while requests are in flight. */
function RefreshButton() {
  const isLoading = useLoading();
  const refresh = useRefresh();
  return (
    <BarButton label="Refresh" onClick={refresh}>
      <Icon name="refresh" size={24} {...(isLoading ? { className: 'app-loader' } : {})} />
    </BarButton>
  );
}

/** The account menu: name and log out, or log in. */
function Person() {
  const [isChanging, setChanging] = useState(false);
  if (!isLoggedIn) {
    return (
      <button type="button" onClick={() => requestLogin()}>
        Log in
      </button>
    );
  }
  return (
    <>
      <button type="button" onClick={() => setChanging(true)} title="Change your password">
        <span className="person">{session?.name}</span>
      </button>
      <button type="button" onClick={() => void logOut()}>
        Log out
      </button>
      {isChanging && (
        <Suspense>
          <PasswordDialog close={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  );
}

function SignOut() {
  const leave = () => {
    token.clear();
    location.reload();
  };
  return (
    <button type="button" onClick={leave}>
      Sign out
    </button>
  );
}
