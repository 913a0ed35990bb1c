/** The rights of the person in the current collection. Without roles, everything is allowed. */
import type { Collection, Field } from '../../../../collection/declaration.ts';
import { collectionName, fields, isWritable } from './collection.ts';
import { pageData } from './page-data.ts';

const { session } = pageData;
const rights = session?.rights?.[collectionName];
const isAllowed = (right: 'create' | 'update' | 'delete') => session === undefined || (rights?.[right].length ?? 0) > 0;

/** Whether the person may create a row in another collection. */
export function mayCreateIn({ name }: Collection): boolean {
  return session === undefined || (session.rights?.[name]?.create.length ?? 0) > 0;
}

export const mayCreate = isAllowed('create');
export const mayUpdate = isAllowed('update');
export const mayDelete = isAllowed('delete');
/** A file may hold new rows or changes. */
export const mayImport = mayCreate || mayUpdate;

/** Deleted rows are restored from the fields that the person sees. Invisible fields would be lost. */
export const seesWholeRows = pageData.partial?.includes(collectionName) !== true;
export const mayRestore = seesWholeRows && mayCreate && fields.every((field) => maySend(field, true));

export function mayWrite(field: Field, isNew: boolean): boolean {
  return isWritable(field) && maySend(field, isNew);
}

/** Whether the role may send a field, also one that the service fills itself. */
export function maySend({ name }: Field, isNew: boolean): boolean {
  return session === undefined || rights?.[isNew ? 'create' : 'update'].includes(name) === true;
}
