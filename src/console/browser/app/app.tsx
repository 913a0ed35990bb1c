/** The application: providers, routes and the dialogs that any page may need. */
import { QueryClientProvider } from '@tanstack/react-query';
import { Route, Router, Switch, useLocation } from 'wouter';
import { consoleBase } from '../api/address.ts';
import { queryClient } from '../api/query-client.ts';
import { newRows } from '../api/questions.ts';
import { isLoginNeeded, token } from '../api/session/session.ts';
import { Dialogs, showDialog } from '../components/dialog.tsx';
import { ContextMenu } from '../components/menu.tsx';
import { dialogOnDemand, onDemand } from '../components/on-demand.tsx';
import { PageBars } from '../components/page-bars.tsx';
import { Announcement, NotFound } from '../components/small.tsx';
import { Toasts } from '../components/toasts.tsx';
import { Boundary } from './boundary.tsx';
import { ROUTES } from './routes.tsx';
import { Shell } from './shell.tsx';

const LoginPage = onDemand(() => import('./login.tsx'));
const NewRowDialog = dialogOnDemand(() => import('../record/new-row-dialog.tsx'));

newRows.ask = (row) =>
  new Promise((answer) => {
    void showDialog(<NewRowDialog {...row} onCreate={answer} />).then(() => answer(undefined));
  });

export function App() {
  if (isLoginNeeded() || (token.isAskedFor() && token.get() === undefined)) return <LoginPage />;
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={consoleBase}>
        <PageBars />
        <Shell>
          <Pages />
        </Shell>
        <Toasts />
        <ContextMenu />
        <Announcement />
      </Router>
    </QueryClientProvider>
  );
}

function Pages() {
  const [location] = useLocation();
  return (
    <Boundary resetBy={location}>
      <Switch>
        {ROUTES.map(({ path, Page }) => (
          <Route key={path} path={path}>
            <Page />
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
      <Dialogs />
    </Boundary>
  );
}
