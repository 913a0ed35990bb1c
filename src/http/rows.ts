/** Finds the rows that a call addresses, in the catalogue as the caller sees it. */
import { ApiError } from '../base/errors.ts';
import { MAX_URL_LENGTH } from '../base/limits/http.ts';
import { memoize } from '../base/memo.ts';
import { nearestName } from '../base/nearest-name.ts';
import { nameOfPart, pathPart } from '../base/net/query-string.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import { isChangeLog } from '../collection/change-log.ts';
import { type Catalogue, type Collection, stored } from '../collection/declaration.ts';
import { isFileField, isFiles, servedName } from '../collection/files.ts';
import type { Call } from './call.ts';
import { checkMethod } from './methods.ts';
import { type RowsTarget, rowsTarget } from './target.ts';

/** A collection, or its row with this key. */
export interface Rows {
  readonly collection: Collection;
  readonly key?: string;
}

const METHODS = {
  collection: ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  item: ['OPTIONS', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
  /** The log of changes, and the files. */
  log: ['OPTIONS', 'GET', 'HEAD'],
};

/** Throws 404, 405 or 414. */
export function findRows(call: Call, catalogue: Catalogue, target: RowsTarget = rowsTarget(call.pathname)): Rows {
  checkUrlLength(call);
  const rows = lookUp(target, call, catalogue);
  checkMethod(call, methodsOf(rows));
  return rows;
}

/** `/products`, or `/products/:id` for any key. */
export function routeOf({ collection, key }: Rows): string {
  const { list, item } = routesOf(collection);
  return key === undefined ? list : item;
}

/** Shared, since a new text costs the metrics more than the count itself. */
const routesOf = memoize(({ name }: Collection) => {
  const list = `/${servedName(name)}`;
  return { list, item: `${list}/:id` };
});

export function methodsOf({ collection, key }: Rows): readonly string[] {
  return METHODS[isChangeLog(collection) || isFiles(collection) ? 'log' : key === undefined ? 'collection' : 'item'];
}

/** The methods that OPTIONS lists: a row without a key cannot be replaced, and some views cannot be written. */
export function listedMethods(rows: Rows): readonly string[] {
  const { key, draft } = rows.collection;
  const { fields } = stored(rows.collection);
  const methods = methodsOf(rows).filter((method) => key.length > 0 || method !== 'PUT');
  if (draft.writes === undefined)
    return key.length === 0 && fields.every(({ readOnly }) => readOnly) ? METHODS.log : methods;
  const writes: readonly string[] = draft.writes;
  const needed = (method: string) => (method === 'PUT' ? ['POST', 'PATCH'] : [method]);
  return methods.filter(
    (method) => METHODS.log.includes(method) || needed(method).every((each) => writes.includes(each)),
  );
}

export function checkUrlLength({ location: { path } }: Call): void {
  if (path.length <= MAX_URL_LENGTH) return;
  throw new ApiError('CAT414', `the URL is longer than ${MAX_URL_LENGTH} characters`, {
    hint: 'Ask in several requests, with fewer values in each.',
  });
}

function lookUp(target: RowsTarget, call: Call, catalogue: Catalogue): Rows {
  const { builtIn, closed, roles, draft } = catalogue;
  const collections = target.isOwn ? builtIn : catalogue.collections;
  const name = nameOfPart(target.name);
  const collection = collections.get(name) ?? (closed?.has(name) === true ? undefined : builtIn.get(name));
  if (collection !== undefined && target.kind === 'collection') return { collection };
  // Only a key of one field fits into a path.
  if (collection !== undefined && hasItems(collection) && target.kind === 'item')
    return { collection, key: nameOfPart(target.key!) };
  if (closed?.has(name) === true) throw tableDenied(name);
  const { prefix } = call.location;
  // A preflight request is anonymous, so its answer must not reveal collections.
  const mayListPaths = draft.schema === undefined && (roles === undefined || call.method !== 'OPTIONS');
  const there =
    [...collections]
      .filter(([, { view }]) => view === undefined || view.rights.length > 0)
      .map(([each]) => `${prefix}/${pathPart(each)}`)
      .join(', ') || 'no collection for your role';
  if (target.kind !== 'collection') {
    throw new ApiError('PGRST125', 'Invalid path specified in request URL', {
      hint: mayListPaths
        ? `Available: ${collection === undefined ? there : pathsOf(collection, prefix)}, without a trailing slash.`
        : undefined,
    });
  }
  const near =
    call.method === 'OPTIONS' && roles !== undefined ? undefined : nearestName(name, [...collections.keys()]);
  const qualified = (each: string) => (draft.schema === undefined ? each : `${draft.schema}.${each}`);
  const hint = near === undefined ? undefined : `Perhaps you meant the table '${qualified(near)}'`;
  throw unknownCollection(qualified(name), hint ?? (mayListPaths ? `Available: ${there}.` : undefined));
}

export function unknownCollection(name: string, hint?: string): ApiError {
  return new ApiError('PGRST205', `Could not find the table '${name}' in the schema cache`, { hint });
}

/** Whether a path names each row. The key of a view may be in several rows. */
function hasItems({ key, draft }: Collection): boolean {
  return key.length === 1 && draft.writes === undefined;
}

function pathsOf(collection: Collection, prefix: string): string {
  const { name, key, fields } = collection;
  const path = `${prefix}/${pathPart(servedName(name))}`;
  if (hasItems(collection)) {
    const item = `${path}/<${key[0]!.name}>`;
    const files = fields.filter(isFileField).map((field) => `${item}/${pathPart(field.name)}`);
    return `${[path, ...files].join(', ')} and ${item}`;
  }
  if (key.length === 0) return path;
  return `${path} and ${path}?${key.map(({ name }) => `${name}=eq.<${name}>`).join('&')}`;
}
