/** The search box of the top bar: it filters the list of the page. */
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { listAddress, parseQuery } from '../api/list.ts';
import { usePageAddress, useQueryText } from '../app/address.ts';
import { t } from '../i18n/text.ts';

const WAIT_MS = 150;

export function SearchBox() {
  const { collection, key } = usePageAddress();
  const [, navigate] = useLocation();
  const search = useQueryText();
  const query = collection === undefined || key !== undefined ? undefined : parseQuery(collection, search);
  const [typed, setTyped] = useState(query?.search ?? '');
  useEffect(() => setTyped(query?.search ?? ''), [query?.search]);
  useEffect(() => {
    if (query === undefined || typed === query.search) return;
    const timer = setTimeout(() => navigate(listAddress({ ...query, search: typed }), { replace: true }), WAIT_MS);
    return () => clearTimeout(timer);
  });
  return (
    <search className="search-box">
      <Search size={16} aria-hidden />
      <input
        type="search"
        aria-label={t.app.search}
        placeholder={t.app.search}
        disabled={query === undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </search>
  );
}
