/** Stored views: filters, order, search, layout and columns under a name, per person in this browser. */
import { useSyncExternalStore } from 'react';
import type { Collection } from '../api/catalogue.ts';
import { addressText, type ListQuery } from '../api/query/list.ts';
import { session } from '../api/session/session.ts';
import { type ColumnSettings, columnSettings } from '../grid/columns/columns.ts';

export interface View {
  readonly name: string;
  /** The address of the list after `?`, without the name of the view. */
  readonly query: string;
  readonly columns: ColumnSettings;
}

const VIEW = '~view';
const NONE: readonly View[] = [];
const cache = new Map<string, readonly View[]>();
const listeners = new Set<() => void>();

const placeOf = ({ name }: Collection): string => `catalogue.views.${session?.name ?? ''}.${name}`;

function storedViews(collection: Collection): readonly View[] {
  const place = placeOf(collection);
  const known = cache.get(place);
  if (known !== undefined) return known;
  const text = localStorage.getItem(place);
  const views = text === null ? NONE : (JSON.parse(text) as readonly View[]);
  cache.set(place, views);
  return views;
}

function storeViews(collection: Collection, views: readonly View[]): void {
  cache.set(placeOf(collection), views);
  localStorage.setItem(placeOf(collection), JSON.stringify(views));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useViews(collection: Collection): readonly View[] {
  return useSyncExternalStore(subscribe, () => storedViews(collection));
}

/** The query with another console parameter, or without it. */
export function withOwn(query: ListQuery, name: string, value: string | undefined): ListQuery {
  const own = (query.own ?? []).filter(([each]) => each !== name);
  return { ...query, own: value === undefined ? own : [...own, [name, value]] };
}

export const ownValue = ({ own = [] }: ListQuery, name: string): string | undefined =>
  own.find(([each]) => each === name)?.[1];

export const viewName = (query: ListQuery): string | undefined => ownValue(query, VIEW);

/** The address of the list after `?`, without the name of the view. */
export const viewQuery = (query: ListQuery): string => addressText(withOwn(query, VIEW, undefined));

/** The console address of a view. */
export function viewAddress({ name: collection }: Collection, { name, query }: View): string {
  const own = `${VIEW}=${encodeURIComponent(name)}`;
  return `/c/${collection}?${query === '' ? own : `${query}&${own}`}`;
}

/** Stores the list as a view. It replaces a view of the same name. */
export function saveView(query: ListQuery, name: string): View {
  const { collection } = query;
  const view = { name, query: viewQuery(query), columns: columnSettings(collection) };
  const views = storedViews(collection);
  const isKnown = views.some((each) => each.name === name);
  storeViews(collection, isKnown ? views.map((each) => (each.name === name ? view : each)) : [...views, view]);
  return view;
}

export function removeView(collection: Collection, name: string): void {
  storeViews(
    collection,
    storedViews(collection).filter((each) => each.name !== name),
  );
}
