/** All pages of the console. Each is loaded on demand. The first matching path wins. */
import type { ComponentType } from 'react';
import { hidesLog } from '../api/session/page-data.ts';
import { onDemand } from '../components/on-demand.tsx';
import { Skeleton } from '../components/small.tsx';
import { ListPage } from '../grid/page.tsx';

const page = (load: () => Promise<{ readonly default: ComponentType }>) => onDemand(load, <Skeleton />);

export const ROUTES: readonly { readonly path: string; readonly Page: ComponentType }[] = [
  { path: '/', Page: page(() => import('../overview/page.tsx')) },
  ...(hidesLog ? [] : [{ path: '/changes', Page: page(() => import('../history/page.tsx')) }]),
  { path: '/settings/:part?', Page: page(() => import('../settings/page.tsx')) },
  { path: '/import/:collection', Page: page(() => import('../import/page.tsx')) },
  { path: '/c/:collection', Page: ListPage },
  { path: '/new/:collection', Page: page(() => import('../record/new-page.tsx')) },
  { path: '/c/:collection/:key', Page: page(() => import('../record/page.tsx')) },
];
