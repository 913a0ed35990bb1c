/**
 * Presence: shows which rows other people edit now. A page that edits a row sends a sign of life every few seconds. The
 * service removes signs that are not repeated. Pages poll the signs of others.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { newId } from '../base/ids.ts';
import { t } from '../i18n/text.ts';
import type { Collection } from './catalogue.ts';
import { ask, type RequestOptions } from './client.ts';
import { queryText } from './query/text.ts';
import { hasIdentity, personOf } from './session/session.ts';

interface Sign {
  readonly id: string;
  readonly key: string;
  readonly owner: string | null;
}

/** By the key of the row, as `keyText` makes it: the names of the people, separated by commas. */
export type Editors = ReadonlyMap<string, string>;

const PRESENCE_URL = '/catalogue/presence';
const BEAT_MS = 15_000;
/** A shorter edit is not worth a request. */
const START_MS = 1_500;
const NOBODY: Editors = new Map();
/** The signs of this page. */
const own = new Set<string>();

const send = (url: string, options: RequestOptions) => ask(url, { ...options, inBackground: true });

/** Sends signs of life while the page edits a row; `key` is undefined if it does not. */
export function useEditing({ name: collection }: Collection, key: string | undefined): void {
  useEffect(() => {
    if (key === undefined || !hasIdentity()) return;
    const id = newId();
    const beat = () => {
      own.add(id);
      const headers = { prefer: 'resolution=merge-duplicates' };
      send(PRESENCE_URL, { method: 'POST', headers, body: { id, collection, key } }).catch(() => undefined);
    };
    const leave = () => {
      if (own.has(id)) send(`${PRESENCE_URL}?id=eq.${id}`, { method: 'DELETE' }).catch(() => undefined);
    };
    const timers = [setTimeout(beat, START_MS), setInterval(beat, BEAT_MS)];
    addEventListener('pagehide', leave);
    return () => {
      for (const timer of timers) clearTimeout(timer);
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [collection, key]);
}

/** The other people who edit rows of a collection. */
export function useEditors({ name }: Collection): Editors {
  const url = `${PRESENCE_URL}?${queryText([
    ['collection', `eq.${name}`],
    ['order', 'owner,id'],
  ])}`;
  const { data = NOBODY } = useQuery({
    queryKey: ['presence', name],
    queryFn: async ({ signal }) => editorsIn((await send(url, { signal })).json as readonly Sign[], own),
    refetchInterval: BEAT_MS,
    retry: false,
  });
  return data;
}

export function editorsIn(signs: readonly Sign[], ownIds: ReadonlySet<string>): Editors {
  const editors = new Map<string, string>();
  for (const { id, key, owner } of signs) {
    if (ownIds.has(id.replaceAll('-', ''))) continue;
    const name = owner === null ? t.record.someone : personOf(owner);
    const names = editors.get(key)?.split(', ') ?? [];
    editors.set(key, [...names.filter((each) => each !== name), name].join(', '));
  }
  return editors;
}
