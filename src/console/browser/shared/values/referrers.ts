/** Reads the rows that refer to a row, from all collections, with one request. */
import type { Collection, Field } from '../../../../collection/declaration.ts';
import {
  allCollections,
  type Cells,
  collection,
  type Id,
  itemPath,
  key,
  labelOf,
  titleFieldOf,
  titleIn,
  titleOfCollection,
} from '../api/collection.ts';
import { ask } from '../api/http.ts';
import { hrefOfList, hrefOfRow, namesOf } from './references.ts';

/** Rows listed per collection. */
const MAX_NAMED = 5;
/** Largest number of collections, below the service's limit of embeddings. */
const MAX_REFERRING = 20;

interface Referring {
  readonly of: Collection;
  readonly by: Field;
}

export interface Referrers {
  readonly title: string;
  readonly rows: readonly { readonly title: string; readonly href: string | undefined }[];
  /** The list of all referring rows, if the collection has a list. */
  readonly href: string | undefined;
  readonly isMore: boolean;
}

const referring: readonly Referring[] = allCollections
  .flatMap((of) => of.references.filter(({ to }) => to === collection.name).map(({ field }) => ({ of, by: field })))
  .slice(0, MAX_REFERRING);

export const hasReferrers = referring.length > 0;

export async function referrersOf(id: Id, signal?: AbortSignal): Promise<readonly Referrers[]> {
  const parts = referring.map(({ of, by }, at) => `r${at}:${of.name}!${by.name}(${selectOf(of, by)})`);
  const limits = referring.map((_each, at) => `r${at}.limit=${MAX_NAMED + 1}`);
  const { json } = await ask(`${itemPath(id)}?select=${[key.name, ...parts].join(',')}&${limits.join('&')}`, {
    signal,
  });
  return referring.flatMap(({ of, by }, at) => {
    const found = (json as Record<string, Cells[] | Cells | null>)[`r${at}`];
    const rows = Array.isArray(found) ? found : found ? [found] : [];
    if (rows.length === 0) return [];
    return [
      {
        title: titleOfReferring(of, by),
        rows: rows.slice(0, MAX_NAMED).map((row) => ({
          title: nameOf(of, by, row),
          href: of.key.length === 1 ? hrefOfRow(of, row[of.key[0]!.name]) : undefined,
        })),
        href: hrefOfList(of, [{ field: by.name, operator: 'eq', value: String(id) }]),
        isMore: rows.length > MAX_NAMED,
      },
    ];
  });
}

/** Adds the field if several fields of a collection refer to this one. */
function titleOfReferring(of: Collection, by: Field): string {
  const isOneOfSeveral = referring.filter((each) => each.of === of).length > 1;
  return isOneOfSeveral ? `${titleOfCollection(of)} (${labelOf(by)})` : titleOfCollection(of);
}

/** The rows that a join row without a title connects. */
function joined(of: Collection, by: Field): { readonly field: Field; readonly other: Collection }[] {
  if (titleFieldOf(of) !== undefined) return [];
  return of.references
    .filter(({ field }) => field !== by && of.key.includes(field))
    .flatMap(({ field, to }) => {
      const other = allCollections.find(({ name }) => name === to);
      return other === undefined ? [] : [{ field, other }];
    });
}

function selectOf(of: Collection, by: Field): string {
  const others = joined(of, by).map(({ field, other }, at) => `j${at}:${field.name}(${namesOf(other)})`);
  return [namesOf(of), ...others].join(',');
}

function nameOf(of: Collection, by: Field, row: Cells): string {
  const others = joined(of, by).flatMap(({ other }, at) => {
    const found = (row as Readonly<Record<string, unknown>>)[`j${at}`];
    return typeof found === 'object' && found !== null ? [titleIn(other, found as Cells)] : [];
  });
  if (others.length > 0) return others.join(', ');
  const rest = of.key.filter((field) => field !== by);
  if (titleFieldOf(of) !== undefined || rest.length === 0) return titleIn(of, row);
  return rest.map((field) => `${labelOf(field)} ${row[field.name]}`).join(', ');
}
