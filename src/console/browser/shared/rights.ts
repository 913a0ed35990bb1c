/** What the person may do with the collection that is shown; all of it, where the catalogue has no roles. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { collectionName, fields, isWritable } from './collection.ts';
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
/** A file may hold new rows, or changes. */
export const mayImport = mayCreate || mayUpdate;

/** Rows that were deleted are stored again with all that was seen of them. What nobody saw would be lost. */
export const seesWholeRows = pageData.partial?.includes(collectionName) !== true;
export const mayRestore = seesWholeRows && mayCreate && fields.every((field) => maySend(field, true));

export function mayWrite(field: Field, isNew: boolean): boolean {
  return isWritable(field) && maySend(field, isNew);
}

/** Of any field, those that the service keeps itself, too. */
export function maySend({ name }: Field, isNew: boolean): boolean {
  return session === undefined || rights?.[isNew ? 'create' : 'update'].includes(name) === true;
}
