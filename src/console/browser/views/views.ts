/**
 * Stored views: filters, order, search, layout, grouping and columns under a name. The service stores them, per person
 * or shared. If it cannot, the browser does.
 */

import { useQuery } from '@tanstack/react-query';
import type { Collection } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { addressText, type ListQuery, ROW, VIEW, withOwn } from '../api/query/list.ts';
import { pathOf, queryText } from '../api/query/text.ts';
import { queryClient } from '../api/query-client.ts';
import { hasIdentity, isLoggedIn, session, token } from '../api/session/session.ts';
import { newId } from '../base/ids.ts';
import { browserStorage } from '../base/storage.ts';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { type ColumnSettings, columnSettings, readSettings } from './columns.ts';

export interface View {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  /** `user ann`; null if the service has no roles; undefined if the view is in this browser. */
  readonly owner?: string | null;
  readonly definition: Definition;
}

interface Definition {
  /** The address of the list after `?`, without the view. */
  readonly query: string;
  readonly columns: ColumnSettings;
}

const VIEWS_URL = '/catalogue/views';
const NONE: readonly View[] = [];
/** The service cannot store the view: no permission, no table, or a database that cannot be written. */
const UNAVAILABLE = [403, 501, 503, 507];

const storageKey = ({ name }: Collection): string => `catalogue.views.${session?.name ?? ''}.${name}`;
const keyOf = ({ name }: Collection) => ['views', name];

function browserViews(collection: Collection): readonly View[] {
  const views = browserStorage.getJson(storageKey(collection));
  return Array.isArray(views) ? views : [];
}

const otherViews = (collection: Collection, id: string): readonly View[] =>
  browserViews(collection).filter((each) => each.id !== id);

const storeInBrowser = (collection: Collection, views: readonly View[]): void =>
  browserStorage.setJson(storageKey(collection), views);

export function useViews(collection: Collection): readonly View[] {
  return useQuery({ queryKey: keyOf(collection), queryFn: () => readViews(collection) }).data ?? NONE;
}

async function readViews(collection: Collection): Promise<readonly View[]> {
  const query = queryText([
    ['collection', `eq.${collection.name}`],
    ['order', 'name,id'],
  ]);
  const { json } = await ask(`${VIEWS_URL}?${query}`).catch(() => ({ json: [] }));
  const stored = (json as View[]).map((view) => ({ ...view, definition: readDefinition(view.definition) }));
  return [...stored, ...browserViews(collection)];
}

/** Another client may have stored anything. */
export function readDefinition(json: unknown): Definition {
  const { query, columns } = (json ?? {}) as Readonly<Record<string, unknown>>;
  return { query: typeof query === 'string' ? query : '', columns: readSettings(columns) };
}

/** Whether the person may change a view. The service knows whose token it is. */
export function isOwn({ owner }: View): boolean {
  return owner == null || (isLoggedIn ? owner === `user ${session?.name}` : token.get() !== undefined);
}

/** The address of the list after `?`, without the view and the row beside it. */
export const viewQuery = (query: ListQuery): string =>
  addressText(withOwn(withOwn(query, VIEW, undefined), ROW, undefined));

/** The console address of a view. */
export function viewAddress(collection: Collection, { id, definition: { query } }: View): string {
  return `/c${pathOf(collection)}?${query === '' ? '' : `${query}&`}${VIEW}=${id}`;
}

/** Stores the list as a view. It replaces the view of the same id. */
export async function saveView(
  query: ListQuery,
  { id = newId(), name, shared, owner }: Partial<View> & Pick<View, 'name' | 'shared'>,
): Promise<View> {
  const { collection } = query;
  const view = { id, name, shared, definition: { query: viewQuery(query), columns: columnSettings(query) } };
  const others = otherViews(collection, id);
  const stored = hasIdentity() ? await storeView(collection, view) : undefined;
  // The view of another person keeps its id.
  const local = { ...view, id: owner === undefined ? id : newId(), shared: false };
  storeInBrowser(collection, stored === undefined ? [...others, local] : others);
  if (stored === undefined) notify(t.views.inBrowser, { topic: 'views' });
  await queryClient.invalidateQueries({ queryKey: keyOf(collection) });
  return stored ?? local;
}

/** Undefined if the service cannot store views. */
async function storeView({ name: collection }: Collection, view: View): Promise<View | undefined> {
  const headers = { prefer: 'resolution=merge-duplicates, return=representation' };
  try {
    const { json } = await ask(VIEWS_URL, { method: 'POST', headers, body: { collection, ...view } });
    return { ...view, id: (json as View[])[0]!.id };
  } catch (error) {
    if (error instanceof ApiError && UNAVAILABLE.includes(error.status)) return undefined;
    throw error;
  }
}

export async function removeView(collection: Collection, { id, owner }: View): Promise<void> {
  if (owner === undefined) storeInBrowser(collection, otherViews(collection, id));
  else await ask(`${VIEWS_URL}/${id}`, { method: 'DELETE' });
  await queryClient.invalidateQueries({ queryKey: keyOf(collection) });
}
