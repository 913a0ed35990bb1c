/**
 * The search box of the top bar: it filters the list of the page. On other pages, it opens the command palette, which
 * searches all collections, as does Ctrl+K.
 */
import { useEffect, useRef, useState } from 'react';
import { changeList, useAddress } from '../api/address.ts';
import { parseQuery } from '../api/query/list.ts';
import { IconButton } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { dialogOnDemand } from '../components/on-demand.tsx';
import { useShortcut } from '../components/shortcut.ts';
import { t } from '../i18n/text.ts';

const Palette = dialogOnDemand(() => import('./palette.tsx'));

const WAIT_MS = 150;

export function SearchBox() {
  const { area, collection, key, query: search } = useAddress();
  const isList = area === 'c' && collection !== undefined && key === undefined;
  const query = isList ? parseQuery(collection, search) : undefined;
  const [typed, setTyped] = useState(query?.search ?? '');
  useEffect(() => setTyped(query?.search ?? ''), [query?.search]);
  useEffect(() => {
    if (query === undefined || typed === query.search) return;
    const search = () => changeList(query.collection, { search: typed }, { replace: true });
    const timer = setTimeout(search, WAIT_MS);
    return () => clearTimeout(timer);
  });
  const input = useRef<HTMLInputElement>(null);
  const isOpen = useRef(false);
  const openPalette = async () => {
    if (isOpen.current) return;
    isOpen.current = true;
    await showDialog(<Palette start={() => (query === undefined ? input.current!.value : '')} />);
    isOpen.current = false;
    if (query === undefined) setTyped('');
  };
  useShortcut('k', (event) => {
    event.preventDefault();
    void openPalette();
  });
  return (
    <search className="search-box">
      <Icon name="search" />
      <input
        type="search"
        aria-label={t.app.search}
        placeholder={t.app.search}
        ref={input}
        value={typed}
        onClick={() => void (query === undefined && openPalette())}
        onChange={({ target }) => {
          setTyped(target.value);
          if (query === undefined) void openPalette();
        }}
      />
      <IconButton
        icon="command"
        label={`${t.app.searchEverywhere} (${t.find.paletteKey})`}
        onClick={() => void openPalette()}
      />
    </search>
  );
}
