/** The console starts here: an ordinary client of the public API, built from the collection's declaration. */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createRoot } from 'react-dom/client';
import { Console } from './admin.tsx';
import { readFirstPage } from './shared/first-page.ts';
import { NotLoaded } from './shared/page-boundary.tsx';

/** Styles are made by the script, and the page's policy lets only those with its nonce pass. */
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
