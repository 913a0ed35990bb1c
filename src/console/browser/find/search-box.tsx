/** The search box of the top bar: it filters the list of the page. Ctrl+K opens the command palette everywhere. */
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../api/address.ts';
import { currentQuery, listAddress, parseQuery } from '../api/query/list.ts';
import { IconButton } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { useShortcut } from '../components/shortcut.ts';
import { t } from '../i18n/text.ts';

const Palette = onDemand(() => import('./palette.tsx'));

const WAIT_MS = 150;

/** Two keys open one palette. */
const openPalette = () => document.querySelector('.palette') ?? showDialog(<Palette />);

export function SearchBox() {
  const { area, collection, key, query: search } = useAddress();
  const [, navigate] = useLocation();
  const isList = area === 'c' && collection !== undefined && key === undefined;
  const query = isList ? parseQuery(collection, search) : undefined;
  const [typed, setTyped] = useState(query?.search ?? '');
  useEffect(() => setTyped(query?.search ?? ''), [query?.search]);
  useEffect(() => {
    if (query === undefined || typed === query.search) return;
    const timer = setTimeout(
      () => navigate(listAddress({ ...currentQuery(query.collection), search: typed }), { replace: true }),
      WAIT_MS,
    );
    return () => clearTimeout(timer);
  });
  useShortcut('k', (event) => {
    event.preventDefault();
    openPalette();
  });
  return (
    <search className="search-box">
      <Icon name="search" />
      <input
        type="search"
        aria-label={t.app.search}
        placeholder={t.app.search}
        disabled={query === undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <IconButton icon="command" label={`${t.app.searchEverywhere} (${t.find.paletteKey})`} onClick={openPalette} />
    </search>
  );
}
