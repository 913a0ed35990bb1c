/** The effects of a deletion on rows that refer to the deleted ones, also through rows that are deleted with them. */
import { MAX_EMBED_DEPTH, MAX_EMBEDS } from '../../../base/limits/http.ts';
import type { Target } from '../api/bulk-change.ts';
import { type Collection, referrersOf } from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { conditionsOf, embeddingsOf, listAddress, listOf, type Pair } from '../api/query/list.ts';
import { pathOf, printName, queryText } from '../api/query/text.ts';
import { partsOf } from '../api/stored-rows.ts';
import { inList } from '../fields/filters.tsx';
import { printGroup } from '../find/or-groups.ts';

/** More deleted rows do not fit the address of a list. */
const MAX_LISTED = 100;

type Referrer = ReturnType<typeof referrersOf>[number];

/** A way from rows that refer to the deleted ones: the last reference is that of the rows to delete. */
type Path = readonly Referrer[];

/** Rows of one collection that get the same effect. */
interface Effect {
  readonly reference: Referrer;
  readonly paths: readonly Path[];
  readonly count: number;
}

/** The address of the list of these rows, if they refer to the deleted ones themselves. */
export function addressOf({ query, rows }: Target, { reference: { from }, paths }: Effect): string | undefined {
  const [key] = query.collection.key;
  if (rows === undefined || rows.length > MAX_LISTED || paths.some(({ length }) => length > 1)) return undefined;
  const condition = inList(rows.map((row) => row[key!.name]));
  const filters = paths.map(([reference]): Pair => [reference!.field.name, condition]);
  return listAddress(listOf(from, filters.length === 1 ? filters : [['or', printGroup(from, filters)!]]));
}

export interface Effects {
  readonly effects: readonly Effect[];
  /** False if references lead further than one request can follow. */
  readonly isComplete: boolean;
}

interface Selection {
  readonly conditions: readonly Pair[];
  readonly embeddings: readonly string[];
}

/** The rows to delete, as filters of requests. */
function selectionsOf({ query, rows }: Target): readonly Selection[] {
  if (rows === undefined) return [{ conditions: conditionsOf(query), embeddings: embeddingsOf(query) }];
  const [key] = query.collection.key;
  return [...partsOf(rows, [key!])].map((part) => {
    const keys = inList(part.map((row) => row[key!.name]));
    return { conditions: [[printName(key!.name), keys]], embeddings: [] };
  });
}

/** Counts each row once, whatever the number of paths from it to the selected rows. */
async function countAlong(from: Collection, paths: readonly Path[], selection: Selection, signal: AbortSignal) {
  const embedded = paths.map((path, at) =>
    path.reduceRight(
      (inner, { field }, depth) => `p${at}_${depth}:${printName(field.name)}${depth > 0 ? '!inner' : ''}(${inner})`,
      selection.embeddings.join(','),
    ),
  );
  const conditions = paths.flatMap((path, at) => {
    const prefix = path.map((_reference, depth) => `p${at}_${depth}.`).join('');
    return selection.conditions.map(([name, value]): Pair => [`${prefix}${name}`, value]);
  });
  const query = queryText([
    ['select', [printName(from.key[0]!.name), ...embedded].join(',')],
    ...conditions,
    ['or', `(${paths.map((_path, at) => `p${at}_0.not.is.null`).join(',')})`],
    ['limit', '1'],
  ]);
  const { headers } = await ask(`${pathOf(from)}?${query}`, { headers: { prefer: 'count=exact' }, signal });
  return countIn(headers);
}

const isTooLong = (paths: readonly Path[]): boolean =>
  paths.flat().length > MAX_EMBEDS || paths.some(({ length }) => length > MAX_EMBED_DEPTH);

/** Follows cascades level by level, as long as they reach further rows. */
export async function countEffects(target: Target, signal: AbortSignal): Promise<Effects> {
  const selections = selectionsOf(target);
  const effects = new Map<string, Effect>();
  let isComplete = true;
  /** Returns the paths that reached further rows. */
  const count = async (id: string, added: readonly Path[]): Promise<readonly Path[]> => {
    const { paths = [], count: before = 0 } = effects.get(id) ?? {};
    const all = [...paths, ...added];
    if (isTooLong(all)) isComplete = false;
    if (isTooLong(all)) return [];
    const reference = added[0]![0]!;
    const counts = await Promise.all(selections.map((each) => countAlong(reference.from, all, each, signal)));
    const sum = counts.reduce((total, each) => total + each, 0);
    effects.set(id, { reference, paths: all, count: sum });
    return sum > before && reference.onDelete === 'cascade' ? added : [];
  };
  let level = referrersOf(target.query.collection).map((reference): Path => [reference]);
  while (level.length > 0) {
    const groups = Map.groupBy(level, ([reference]) => `${reference!.from.name} ${reference!.onDelete}`);
    const grown = await Promise.all([...groups].map(([id, paths]) => count(id, paths)));
    level = grown.flat().flatMap((path) => referrersOf(path[0]!.from).map((reference): Path => [reference, ...path]));
  }
  return { effects: [...effects.values()].filter(({ count }) => count > 0), isComplete };
}
