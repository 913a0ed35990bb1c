/** What the person may do with the collection that is shown; all of it, where the catalogue has no roles. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { collectionName, isWritable } from './collection.ts';
import { pageData } from './page-data.ts';

const { session } = pageData;
const rights = session?.rights?.[collectionName];
const isAllowed = (right: 'create' | 'update' | 'delete') => session === undefined || (rights?.[right].length ?? 0) > 0;

/** A row of another collection, of so much as its title. */
export function mayCreateIn({ name }: Collection): boolean {
  return session === undefined || (session.rights?.[name]?.create.length ?? 0) > 0;
}

export const mayCreate = isAllowed('create');
export const mayUpdate = isAllowed('update');
export const mayDelete = isAllowed('delete');

export function mayWrite(field: Field, isNew: boolean): boolean {
  if (!isWritable(field)) return false;
  return session === undefined || rights?.[isNew ? 'create' : 'update'].includes(field.name) === true;
}
