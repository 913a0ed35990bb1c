/** The console's pages, and where each is. */
import { Admin, CustomRoutes, localStorageStore, Resource } from 'react-admin';
import { Route } from 'react-router-dom';
import { authProvider, TokenPage } from './auth.tsx';
import { ImportPage } from './import/page.tsx';
import { ConsoleLayout } from './layout.tsx';
import { Overview } from './overview/page.tsx';
import { CreatePage } from './products/create.tsx';
import { EditPage } from './products/edit.tsx';
import { ListPage } from './products/list.tsx';
import { collectionName, titleOf, version } from './shared/collection.ts';
import { dataProvider } from './shared/provider.ts';
import { darkTheme, lightTheme } from './theme.ts';

const store = localStorageStore(version, 'catalogue');

export function Console() {
  return (
    <Admin
      title="Product Catalogue"
      dataProvider={dataProvider}
      authProvider={authProvider}
      loginPage={TokenPage}
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
        create={CreatePage}
        recordRepresentation={(record) => titleOf(record as never)}
      />
      <CustomRoutes>
        <Route path="/import" element={<ImportPage />} />
      </CustomRoutes>
    </Admin>
  );
}
