/** The layout of a list: a table, or a gallery of pictures. The browser stores the choice per collection. */
import { useSyncExternalStore } from 'react';
import { fileKind } from '../../../collection/types/file.ts';
import type { Collection, Field } from '../api/catalogue.ts';
import { isPictureAddress } from '../fields/file.tsx';

export const LAYOUTS = ['table', 'gallery'] as const;
export type Layout = (typeof LAYOUTS)[number];

const listeners = new Set<() => void>();
const placeOf = ({ name }: Collection): string => `catalogue.layout ${name}`;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The field whose first picture stands for the row in a gallery. */
export function pictureFieldOf({ fields }: Collection): Field | undefined {
  return fields.find((field) => fileKind(field.type) === 'image' || isPictureAddress({ field }));
}

export function useLayout(collection: Collection): Layout {
  const isChosen = useSyncExternalStore(subscribe, () => localStorage.getItem(placeOf(collection)) === 'gallery');
  return isChosen && pictureFieldOf(collection) !== undefined ? 'gallery' : 'table';
}

export function chooseLayout(collection: Collection, layout: Layout): void {
  localStorage.setItem(placeOf(collection), layout);
  for (const listener of listeners) listener();
}
