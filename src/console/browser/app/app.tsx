/** The application: providers, routes and the dialogs that any page may need. */
import { QueryClientProvider } from '@tanstack/react-query';
import { Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from '../api/queries.ts';
import { isLoginNeeded } from '../api/session/session.ts';
import { token } from '../api/session/token.ts';
import { onDemand } from '../components/on-demand.tsx';
import { consoleBase } from './address.ts';
import { Boundary } from './boundary.tsx';
import { CredentialsDialog } from './credentials-dialog.tsx';
import { NotFound } from './not-found.tsx';
import { ROUTES } from './routes.tsx';
import { Shell } from './shell.tsx';
import { Toasts } from './toasts.tsx';

const LoginPage = onDemand(() => import('./login.tsx'));
const ConflictDialog = onDemand(() => import('../record/conflict-dialog.tsx'));

export function App() {
  if (isLoginNeeded() || (token.isAskedFor() && token.get() === null)) return <LoginPage />;
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={consoleBase}>
        <Shell>
          <Pages />
        </Shell>
        <Toasts />
        <CredentialsDialog />
        <ConflictDialog />
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
    </Boundary>
  );
}
