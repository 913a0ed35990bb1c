/** The console's pages, and where each is. */
import { Admin, CustomRoutes, localStorageStore, Resource } from 'react-admin';
import { Route } from 'react-router-dom';
import { TokenPage } from './auth.tsx';
import { ConsoleLayout } from './layout.tsx';
import { LoginPage } from './login.tsx';
import { Overview } from './overview/page.tsx';
import { ListPage } from './products/list.tsx';
import { collectionName, titleOf, version } from './shared/collection.ts';
import { latePage } from './shared/late-page.tsx';
import { dataProvider } from './shared/provider.ts';
import { mayCreate, mayImport } from './shared/rights.ts';
import { isLoginWanted } from './shared/session.ts';
import { token } from './shared/token.ts';
import { darkTheme, lightTheme } from './theme.ts';

/** What the first view does not need is loaded when it is, so that the first view comes sooner. */
const EditPage = latePage(async () => (await import('./products/edit.tsx')).EditPage);
const CreatePage = latePage(async () => (await import('./products/create.tsx')).CreatePage);
const ImportPage = latePage(async () => (await import('./import/page.tsx')).ImportPage);

const store = localStorageStore(version, 'catalogue');

export function Console() {
  if (isLoginWanted()) return <LoginPage />;
  if (token.isAskedFor() && token.get() === null) return <TokenPage />;
  return (
    <Admin
      title="Product Catalogue"
      dataProvider={dataProvider}
      dashboard={Overview}
      layout={ConsoleLayout}
      lightTheme={lightTheme}
      darkTheme={darkTheme}
      store={store}
      disableTelemetry
    >
      <Resource
        name={collectionName}
        list={ListPage}
        edit={EditPage}
        {...(mayCreate ? { create: CreatePage } : {})}
        recordRepresentation={(record) => titleOf(record as never)}
      />
      {mayImport && (
        <CustomRoutes>
          <Route path="/import" element={<ImportPage />} />
        </CustomRoutes>
      )}
    </Admin>
  );
}
