/** The application: providers, routes and the dialogs that any page may need. */
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from '../api/queries.ts';
import { isLoginNeeded } from '../api/session/session.ts';
import { token } from '../api/session/token.ts';
import { Skeleton } from '../components/small.tsx';
import { consoleBase } from './address.ts';
import { Boundary } from './boundary.tsx';
import { CredentialsDialog } from './credentials-dialog.tsx';
import { NotFound } from './not-found.tsx';
import { ROUTES } from './routes.tsx';
import { Shell } from './shell.tsx';
import { Toasts } from './toasts.tsx';

const LoginPage = lazy(() => import('./login.tsx'));
const ConflictDialog = lazy(() => import('../record/conflict-dialog.tsx'));

export function App() {
  if (isLoginNeeded() || (token.isAskedFor() && token.get() === null))
    return (
      <Suspense>
        <LoginPage />
      </Suspense>
    );
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={consoleBase}>
        <Shell>
          <Pages />
        </Shell>
        <Toasts />
        <CredentialsDialog />
        <Suspense>
          <ConflictDialog />
        </Suspense>
      </Router>
    </QueryClientProvider>
  );
}

function Pages() {
  const [location] = useLocation();
  return (
    <Boundary resetBy={location}>
      <Suspense fallback={<Skeleton />}>
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
      </Suspense>
    </Boundary>
  );
}
