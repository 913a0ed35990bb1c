/** The layouts of a list: a table, cards with pictures, a board by a field with a few values, or a tree. */
import { useSyncExternalStore } from 'react';
import { fileKind } from '../../../collection/types/file.ts';
import { setOwn } from '../api/address.ts';
import { type Collection, type Field, isYesNo, mayWrite } from '../api/catalogue.ts';
import { type ListQuery, ownValue } from '../api/query/list.ts';
import { isPictureAddress } from '../fields/file.tsx';

export type Layout = { readonly kind: 'table' | 'cards' } | { readonly kind: 'board' | 'tree'; readonly field: Field };

const AS = '~as';
const PHONE = '(max-width: 760px)';
const phone = globalThis.matchMedia?.(PHONE);
const subscribe = (listener: () => void) => {
  phone?.addEventListener('change', listener);
  return () => phone?.removeEventListener('change', listener);
};

/** Fields by which a board can be arranged. */
export function boardFields(collection: Collection): readonly Field[] {
  const hasFewValues = (field: Field) => field.rules.oneOf !== undefined || isYesNo(field);
  return collection.fields.filter((field) => hasFewValues(field) && mayWrite(collection, field, false));
}

/** The references of a collection to itself, whose rows form a tree. */
export const treeFields = ({ name, key, references }: Collection): readonly Field[] =>
  key.length === 1 ? references.filter(({ to }) => to === name).map(({ field }) => field) : [];

/** The field whose first picture stands for the row. */
export function pictureFieldOf({ fields }: Collection): Field | undefined {
  return fields.find((field) => fileKind(field.type) === 'image' || isPictureAddress({ field }));
}

/** The layout of the address. Without one, a phone shows cards. */
export function useLayout(query: ListQuery): Layout {
  const isPhone = useSyncExternalStore(subscribe, () => phone?.matches === true);
  const [, kind, name] = /^(\w*):?(.*)$/s.exec(ownValue(query, AS) ?? (isPhone ? 'cards' : 'table'))!;
  const fields = { board: boardFields, tree: treeFields };
  if (kind === 'board' || kind === 'tree') {
    const field = fields[kind](query.collection).find((each) => each.name === name);
    if (field !== undefined) return { kind, field };
  }
  return { kind: kind === 'cards' ? 'cards' : 'table' };
}

export const showLayout = ({ collection }: ListQuery, layout: Layout): void =>
  setOwn(collection, AS, 'field' in layout ? `${layout.kind}:${layout.field.name}` : layout.kind);
