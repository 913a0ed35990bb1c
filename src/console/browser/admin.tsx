/** The console's pages, and where each is. */
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
import { ListPage } from './products/list.tsx';
import { collectionName, listPath, version } from './shared/collection.ts';
import { queryClient } from './shared/first-page.ts';
import { latePage } from './shared/late-page.tsx';
import { Boundary } from './shared/page-boundary.tsx';
import { Title } from './shared/page-title.tsx';
import { dataProvider } from './shared/provider.ts';
import { mayCreate, mayImport } from './shared/rights.ts';
import { isLoginWanted } from './shared/session.ts';
import { token } from './shared/token.ts';
import { darkTheme, lightTheme } from './theme.ts';

/** What the first view does not need is loaded when it is, so that the first view comes sooner. */
const EditPage = latePage(async () => (await import('./products/edit.tsx')).EditPage);
const CreatePage = latePage(async () => (await import('./products/create.tsx')).CreatePage);
const ImportPage = latePage(async () => (await import('./import/page.tsx')).ImportPage);
const LoginPage = latePage(async () => (await import('./login.tsx')).LoginPage);
const TokenPage = latePage(async () => (await import('./auth.tsx')).TokenPage);

const kept = localStorageStore(version, 'catalogue');
/** The language is known from the beginning, so that nothing is drawn to find it out. */
const store: typeof kept = {
  ...kept,
  getItem: (key, otherwise) =>
    key === 'locale' ? (defaultI18nProvider.getLocale() as never) : kept.getItem(key, otherwise),
};

export function Console() {
  if (isLoginWanted()) return <LoginPage />;
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

/** react-admin's own routes draw everything anew for each resource that they get to know; there is one, and it is known. */
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
          <Route path={`${listPath}/*`} element={<PlacedList />} />
          <Route path="*" element={<Nowhere />} />
        </Routes>
      </ConsoleLayout>
    </ResourceContextProvider>
  );
}

function PlacedList() {
  return (
    <RestoreScrollPosition storeKey={`${collectionName}.list.scrollPosition`}>
      <ListPage />
    </RestoreScrollPosition>
  );
}

function Nowhere() {
  return (
    <>
      <Title title="Not found" />
      <p>
        There is no page at this address. See the <Link to="/">overview</Link>.
      </p>
    </>
  );
}
