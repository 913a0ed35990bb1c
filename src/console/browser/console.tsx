/** Entry point of the console: a client of the public API, generated from the collection's declaration. */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createRoot } from 'react-dom/client';
import { Console } from './admin.tsx';
import { readFirstPage } from './shared/api/first-page.ts';
import { NotLoaded } from './shared/page/page-boundary.tsx';

/** The Content-Security-Policy only accepts generated styles with this nonce. */
const nonce = document.querySelector('meta[property=csp-nonce]')?.getAttribute('content') ?? '';
const cache = createCache({ key: 'css', nonce });

function onCaughtError(error: unknown): void {
  if (!(error instanceof NotLoaded)) console.error(error);
}

function draw(): void {
  createRoot(document.getElementById('root')!, { onCaughtError }).render(
    <CacheProvider value={cache}>
      <Console />
    </CacheProvider>,
  );
}

void readFirstPage().then(draw);
