/** The title of a page, in the bar and in the browser's tab. */
import { useLayoutEffect, useSyncExternalStore } from 'react';

const NAME = 'Product Catalogue';

let shown = '';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(title: string): void {
  shown = title;
  document.title = `${title} · ${NAME}`;
  for (const listener of listeners) listener();
}

export function Title({ title }: { readonly title: string }) {
  useLayoutEffect(() => show(title), [title]);
  return null;
}

export function TitleInBar() {
  return <h1 className="title">{useSyncExternalStore(subscribe, () => shown)}</h1>;
}
