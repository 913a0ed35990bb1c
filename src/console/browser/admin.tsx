/** The pages of the console and their routes. */
import { CssBaseline } from '@mui/material';
import { useScrollToTop } from 'ra-core';
import {
  AdminContext,
  defaultI18nProvider,
  localStorageStore,
  Notification,
  ResourceContextProvider,
  RestoreScrollPosition,
} from 'react-admin';
import { Link, Route, Routes } from 'react-router-dom';
import { ConsoleLayout } from './layout.tsx';
import { Overview } from './overview/page.tsx';
import { ListPage } from './products/list/list.tsx';
import { collectionName, listPath, version } from './shared/api/collection.ts';
import { queryClient } from './shared/api/first-page.ts';
import { dataProvider } from './shared/api/provider.ts';
import { mayCreate, mayImport } from './shared/api/rights.ts';
import { isLoginNeeded } from './shared/api/session.ts';
import { token } from './shared/api/token.ts';
import { lazyPage } from './shared/page/late-page.tsx';
import { Boundary } from './shared/page/page-boundary.tsx';
import { Title } from './shared/page/page-title.tsx';
import { darkTheme, lightTheme } from './theme.ts';

/** Pages that the first view does not need are loaded on demand, so that the first view appears sooner. */
const EditPage = lazyPage(async () => (await import('./products/form/edit.tsx')).EditPage);
const CreatePage = lazyPage(async () => (await import('./products/form/create.tsx')).CreatePage);
const ImportPage = lazyPage(async () => (await import('./import/page.tsx')).ImportPage);
const LoginPage = lazyPage(async () => (await import('./login.tsx')).LoginPage);
const TokenPage = lazyPage(async () => (await import('./auth.tsx')).TokenPage);

const localStore = localStorageStore(version, 'catalogue');
/** Returns the locale synchronously, so that react-admin does not render twice to find it. */
const store: typeof localStore = {
  ...localStore,
  getItem: (key, otherwise) =>
    key === 'locale' ? (defaultI18nProvider.getLocale() as never) : localStore.getItem(key, otherwise),
};

export function Console() {
  if (isLoginNeeded()) return <LoginPage />;
  if (token.isAskedFor() && token.get() === null) return <TokenPage />;
  return (
    <AdminContext
      dataProvider={dataProvider}
      queryClient={queryClient}
      i18nProvider={defaultI18nProvider}
      lightTheme={lightTheme}
      darkTheme={darkTheme}
      store={store}
    >
      <CssBaseline enableColorScheme />
      <Boundary>
        <Pages />
      </Boundary>
      <Notification />
    </AdminContext>
  );
}

/**
 * The routes. react-admin's own router renders everything again for each resource that registers; this console has
 * exactly one.
 */
function Pages() {
  useScrollToTop();
  return (
    <ResourceContextProvider value={collectionName}>
      <ConsoleLayout>
        <Routes>
          <Route path="/" element={<Overview />} />
          {mayImport && <Route path="/import" element={<ImportPage />} />}
          {mayCreate && <Route path={`${listPath}/create/*`} element={<CreatePage />} />}
          <Route path={`${listPath}/:id/*`} element={<EditPage />} />
          <Route path={`${listPath}/*`} element={<ScrolledList />} />
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </ConsoleLayout>
    </ResourceContextProvider>
  );
}

function ScrolledList() {
  return (
    <RestoreScrollPosition storeKey={`${collectionName}.list.scrollPosition`}>
      <ListPage />
    </RestoreScrollPosition>
  );
}

function NotFoundPage() {
  return (
    <>
      <Title title="Not found" />
      <p>
        There is no page at this address. See the <Link to="/">overview</Link>.
      </p>
    </>
  );
}
