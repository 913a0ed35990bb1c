/** The frame around every page: the menu, light and dark, and the dialog that settles conflicts. */
import Api from '@mui/icons-material/DataObject';
import Overview from '@mui/icons-material/Insights';
import Products from '@mui/icons-material/Inventory2';
import Import from '@mui/icons-material/UploadFile';
import { Button, ListItemIcon, MenuItem, Typography } from '@mui/material';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { AppBar, Layout, LoadingIndicator, Menu, TitlePortal, ToggleThemeButton } from 'react-admin';
import { ConflictDialog } from './products/conflict-dialog.tsx';
import { base } from './shared/base.ts';
import {
  collectionName,
  collections,
  collectionTitle,
  titleOfCollection,
  unshown,
  version,
} from './shared/collection.ts';
import { mayImport } from './shared/rights.ts';
import { isLoggedIn, logOut, session, wantLogin } from './shared/session.ts';
import { useTabTitle } from './shared/tab-title.ts';
import { token } from './shared/token.ts';
import { UndoBar } from './shared/undo.tsx';

const PasswordDialog = lazy(async () => ({ default: (await import('./password-dialog.tsx')).PasswordDialog }));

export function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  useTabTitle();
  return (
    <Layout
      appBarAlwaysOn
      appBar={ConsoleBar}
      menu={ConsoleMenu}
      sx={{ minWidth: 0, '& .RaLayout-content': { minWidth: 0 } }}
    >
      {children}
      <ConflictDialog />
      <UndoBar />
    </Layout>
  );
}

function ConsoleBar() {
  return (
    <AppBar
      alwaysOn
      toolbar={
        <>
          <ToggleThemeButton />
          <LoadingIndicator />
          {token.get() !== null && <SignOut />}
          {session !== undefined && <Person />}
        </>
      }
      userMenu={false}
    >
      <TitlePortal component="h1" variant="h6" />
    </AppBar>
  );
}

/** Who is logged in, and the way out; or the way in. */
function Person() {
  const [isChanging, setChanging] = useState(false);
  if (!isLoggedIn) {
    return (
      <Button color="inherit" onClick={() => wantLogin()}>
        Log in
      </Button>
    );
  }
  return (
    <>
      <Button color="inherit" onClick={() => setChanging(true)} title="Change your password">
        <Typography component="span" variant="body2" noWrap sx={{ maxWidth: 160 }}>
          {session?.name}
        </Typography>
      </Button>
      <Button color="inherit" onClick={() => void logOut()}>
        Log out
      </Button>
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
    <Button color="inherit" onClick={leave}>
      Sign out
    </Button>
  );
}

const menuStyle = {
  px: 0.5,
  '& .MuiMenuItem-root': { borderRadius: 1 },
  '& .RaMenuItemLink-active, & .RaMenuItemLink-active .RaMenuItemLink-icon': { color: 'primary.main' },
  '& .RaMenuItemLink-active': { backgroundColor: 'action.selected', fontWeight: 600 },
};

function ConsoleMenu() {
  return (
    <Menu sx={menuStyle}>
      <Menu.Item to="/" primaryText="Overview" leftIcon={<Overview />} />
      <Menu.Item to={`/${collectionName}`} primaryText={collectionTitle} leftIcon={<Products />} />
      {collections
        .filter(({ name }) => name !== collectionName)
        .map((other) => (
          <MenuItem key={other.name} component="a" href={`?collection=${other.name}#/${other.name}`}>
            <ListItemIcon sx={{ '&&': { minWidth: 40 } }}>
              <Products />
            </ListItemIcon>
            {titleOfCollection(other)}
          </MenuItem>
        ))}
      {mayImport && <Menu.Item to="/import" primaryText="Import" leftIcon={<Import />} />}
      <MenuItem component="a" href={`${base}/docs`} sx={{ color: 'text.secondary' }}>
        <ListItemIcon sx={{ '&&': { minWidth: 40 } }}>
          <Api />
        </ListItemIcon>
        API reference
      </MenuItem>
      <Typography variant="caption" sx={{ px: 2, pt: 2, color: 'text.secondary' }}>
        Version {version}
      </Typography>
      {unshown.length > 0 && (
        <Typography
          variant="caption"
          component="p"
          sx={{ px: 2, pt: 1, color: 'text.secondary', whiteSpace: 'normal' }}
        >
          Not shown, since the key has several fields: {unshown.map(({ name }) => name).join(', ')}
        </Typography>
      )}
    </Menu>
  );
}
