/** A page that is loaded on demand. If loading fails, it can be retried without losing other pages. */
import { LinearProgress } from '@mui/material';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { ProblemInPlace } from './problem.tsx';

const NOT_LOADED = new Error('This page could not be loaded. Check the connection and try again.');

export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function LazyPage() {
    const [Page, setPage] = useState(() => loaded);
    const [hasFailed, setFailed] = useState(false);
    const attempt = useCallback(() => {
      setFailed(false);
      load().then(
        (page) => {
          loaded = page;
          setPage(() => page);
        },
        () => setFailed(true),
      );
    }, []);
    useEffect(() => {
      if (loaded === undefined) attempt();
    }, [attempt]);
    if (Page !== undefined) return <Page />;
    if (hasFailed) return <ProblemInPlace error={NOT_LOADED} retry={attempt} />;
    return <LinearProgress aria-label="Loading" />;
  };
}
