/** Searches rows of another collection by the typed text. */
import type { Collection } from '../../../../collection/declaration.ts';
import { namesOf } from '../values/references.ts';
import { readEntered } from '../values/values.ts';
import { type Cells, isText, titleFieldOf, titleIn } from './collection.ts';
import { ask } from './http.ts';
import { escapeLike, queryText } from './query.ts';

/** Largest number of options. */
const MAX_FOUND = 20;

export interface RowOption {
  /** The key as text, which `readEntered` can parse. */
  readonly key: string;
  readonly title: string;
}

export async function findRows(other: Collection, typed: string, signal?: AbortSignal): Promise<readonly RowOption[]> {
  const title = titleFieldOf(other);
  const words = typed.split(/\s+/).filter((word) => word !== '');
  const conditions =
    title === undefined
      ? keyIs(other, typed)
      : words.map((word): [string, string] => [title.name, `ilike.*${escapeLike(word)}*`]);
  if (conditions === undefined) return [];
  const query = queryText([
    ['select', namesOf(other)],
    ...conditions,
    ['order', (title ?? other.key[0]!).name],
    ['limit', String(MAX_FOUND)],
  ]);
  const { json } = await ask(`/${other.name}?${query}`, { signal });
  return (json as Cells[]).map((row) => foundIn(other, row));
}

function keyIs(other: Collection, typed: string): [string, string][] | undefined {
  const key = other.key[0]!;
  if (typed.trim() === '') return [];
  if (isText(key)) return [[key.name, `ilike.*${escapeLike(typed.trim())}*`]];
  return 'value' in readEntered(key, typed) ? [[key.name, `eq.${typed.trim()}`]] : undefined;
}

function foundIn(other: Collection, row: Cells): RowOption {
  return { key: String(row[other.key[0]!.name]), title: titleIn(other, row) };
}

/** Whether a row needs nothing but its title. */
export function needsOnlyTitle(other: Collection): boolean {
  const title = titleFieldOf(other);
  return title !== undefined && other.fields.every((field) => field === title || isFilledIn(other, field));
}

/** Whether an omitted field may stay empty, or the service fills it. */
function isFilledIn(other: Collection, field: Collection['fields'][number]): boolean {
  if (other.key.includes(field)) return field === other.assigned || field.generated !== undefined;
  return !field.required || field.filled !== false || (field.default ?? field.generated) !== undefined;
}

export async function createReferencedRow(other: Collection, title: string): Promise<RowOption> {
  const { json } = await ask(`/${other.name}?select=${namesOf(other)}`, {
    method: 'POST',
    headers: { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' },
    body: { [titleFieldOf(other)!.name]: title },
  });
  return foundIn(other, json as Cells);
}
