/** The command palette: jumps to a collection, a row or an action. */
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { goTo } from '../api/address.ts';
import { collections, may, type Row, titleFieldOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { listOf, listUrl } from '../api/query/list.ts';
import { pathOf, rowAddress } from '../api/query/text.ts';
import { hasSettings, hidesLog } from '../api/session/page-data.ts';
import { Combobox } from '../components/combobox.tsx';
import { useClose, useModal } from '../components/dialog.tsx';
import { Marked } from '../components/marked.tsx';
import { t } from '../i18n/text.ts';

interface Target {
  readonly label: string;
  readonly shown?: ReactNode;
  readonly hint: string;
  readonly address: string;
}

const ROWS_PER_COLLECTION = 4;
const MIN_TYPED = 2;
const WAIT_MS = 150;

const places = (): readonly Target[] => [
  ...collections.map((each) => ({
    label: titleOfCollection(each),
    hint: t.app.collections,
    address: `/c${pathOf(each)}`,
  })),
  ...[
    { label: t.app.overview, address: '/' },
    ...(hidesLog ? [] : [{ label: t.app.changes, address: '/changes' }]),
    ...(hasSettings ? [{ label: t.settings.title, address: '/settings' }] : []),
    ...collections
      .filter((each) => may('create', each))
      .flatMap((each) => [
        { label: t.app.newRowIn(titleOfCollection(each)), address: `/new${pathOf(each)}` },
        { label: t.find.importInto(titleOfCollection(each)), address: `/import${pathOf(each)}` },
      ]),
  ].map((each) => ({ ...each, hint: t.app.actions })),
];

/** Whether every word begins a word of the label. */
export function matches(label: string, typed: string): boolean {
  const text = ` ${label.toLowerCase()}`;
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(` ${word}`) || word === '');
}

/** `start` is the text that was typed into the search box. */
export default function Palette({ start }: { readonly start: () => string }) {
  const [typed, setTyped] = useState(start);
  const [all] = useState(places);
  const close = useClose();
  const { rows, isLoading } = useFoundRows(typed.trim());
  const found = [...all.filter(({ label }) => matches(label, typed)), ...rows];
  return (
    <dialog ref={useModal()} className="dialog palette" aria-label={t.find.palette} onCancel={close}>
      <Combobox
        isInline
        start={typed}
        id={useId()}
        name={t.find.palette}
        placeholder={t.find.paletteHint}
        text=""
        options={typed === '' ? all.slice(0, collections.length) : found}
        isLoading={isLoading}
        onType={setTyped}
        onChoose={(target) => {
          if (target === undefined) return;
          close();
          goTo(target.address);
        }}
      />
    </dialog>
  );
}

/** Rows of every collection that match the text, as in the search box of their list. */
function useFoundRows(typed: string): { readonly rows: readonly Target[]; readonly isLoading: boolean } {
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), WAIT_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQueries({
    queries: collections.map((collection) => ({
      queryKey: ['list', collection.name, 'palette', search],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const url = listUrl({ ...listOf(collection), search }, [['limit', String(ROWS_PER_COLLECTION)]], true);
        return (await ask(url, { signal })).json as Row[];
      },
      enabled: search.length >= MIN_TYPED,
      retry: false,
    })),
  });
  if (search !== typed) return { rows: [], isLoading: typed.length >= MIN_TYPED };
  const rows = found.flatMap(({ data = [] }, index) => {
    const collection = collections[index]!;
    const title = titleFieldOf(collection)?.name ?? '';
    return data.map((row) => ({
      label: titleOf(collection, row),
      shown: (
        <Marked of={row} name={title} text={row[title]}>
          {titleOf(collection, row)}
        </Marked>
      ),
      hint: titleOfCollection(collection),
      address: rowAddress(collection, row),
    }));
  });
  return { rows, isLoading: found.some((each) => each.isLoading) };
}
