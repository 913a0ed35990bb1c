/** Asks before rows are deleted: what refers to them, and what others changed since the person saw them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteAll, rowsChangedSince, type Target } from '../api/bulk-change.ts';
import { type Collection, mayUndo, referrersOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { invalidate, useWrite } from '../api/queries.ts';
import { pathOf, printName, queryText } from '../api/query/filter-text.ts';
import { conditionsOf, embeddingsOf, type Pair } from '../api/query/list.ts';
import { partsOf } from '../api/stored-rows.ts';
import { Dialog } from '../components/dialog.tsx';
import { Problem } from '../components/small.tsx';
import { notify, undoOf } from '../components/toasts.tsx';
import { inList } from '../fields/filters.tsx';
import { t } from '../i18n/text.ts';

/** More changed rows are not named. */
const MOST_NAMED = 20;
/** References from row to row that a deletion is followed along. */
const MOST_STEPS = 3;

interface DeleteDialogProps {
  readonly target: Target;
  readonly onDeleted: () => void;
}

export default function DeleteDialog({ target, onDeleted }: DeleteDialogProps) {
  const { rows = [], count } = target;
  const { collection } = target.query;
  const [warning, setWarning] = useState('');
  const remove = useWrite(collection, () => deleteAll(target));
  const [only] = count === 1 ? rows : [];
  const onSubmit = async () => {
    const changed = warning === '' ? await rowsChangedSince(target) : [];
    if (changed.length > 0) {
      const titles = changed.slice(0, MOST_NAMED).map((row) => titleOf(collection, row));
      setWarning(t.grid.changedSince(titles.join(', ')));
      return false;
    }
    const deleted = await remove.run(undefined);
    if (deleted === undefined) return false;
    for (const { from } of referrersOf(collection)) void invalidate(from);
    const message = only === undefined ? t.grid.rowsDeleted(deleted.count) : t.record.deleted;
    notify(message, undoOf('delete', collection, deleted.requestId));
    return onDeleted();
  };
  return (
    <Dialog
      title={only === undefined ? t.grid.deleteRows(count) : t.record.deleteTitle(titleOf(collection, only))}
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      <p>{mayUndo('delete', collection) ? t.app.canUndo : t.record.deleteForever}</p>
      <Referrers target={target} />
      {warning !== '' && <Problem>{warning}</Problem>}
    </Dialog>
  );
}

/** A way from rows that refer to the deleted ones: the last reference is that of the rows to delete. */
type Path = readonly ReturnType<typeof referrersOf>[number][];

/** The references to a collection, and to the rows that are deleted with its rows. */
function pathsTo(collection: Collection, further: Path = []): readonly Path[] {
  return referrersOf(collection).flatMap((reference): readonly Path[] => {
    const path = [reference, ...further];
    const isDeeper = reference.onDelete === 'cascade' && path.length < MOST_STEPS;
    return [path, ...(isDeeper ? pathsTo(reference.from, path) : [])];
  });
}

/** The number of rows at the end of a path from the rows of a filter, which the service counts. */
async function countAlong(path: Path, { conditions, embeddings }: Conditions, signal: AbortSignal): Promise<number> {
  const { from } = path[0]!;
  const embedded = path.reduceRight(
    (inner, { field }, at) => `to_${at}:${printName(field.name)}!inner(${inner})`,
    embeddings.join(','),
  );
  const prefix = path.map((_reference, at) => `to_${at}.`).join('');
  const query = queryText([
    ['select', `${printName(from.key[0]!.name)},${embedded}`],
    ...conditions.map(([name, value]): Pair => [`${prefix}${name}`, value]),
    ['limit', '1'],
  ]);
  const { headers } = await ask(`${pathOf(from)}?${query}`, { headers: { prefer: 'count=exact' }, signal });
  return countIn(headers);
}

interface Conditions {
  readonly conditions: readonly Pair[];
  readonly embeddings: readonly string[];
}

/** The effects on the rows that refer to these ones, also through rows that are deleted with them. */
function Referrers({ target: { query, rows } }: { readonly target: Target }) {
  const { collection } = query;
  const key = collection.key[0]!.name;
  const parts = rows === undefined ? [] : [...partsOf(rows, [collection.key[0]!])];
  const selected: readonly Conditions[] =
    rows === undefined
      ? [{ conditions: conditionsOf(query), embeddings: embeddingsOf(query) }]
      : parts.map((part) => ({ conditions: [[printName(key), inList(part.map((row) => row[key]))]], embeddings: [] }));
  const { data = [] } = useQuery({
    queryKey: ['row', collection.name, 'referrers', selected],
    queryFn: ({ signal }) =>
      Promise.all(
        pathsTo(collection).map(async (path) => {
          const counts = await Promise.all(selected.map((each) => countAlong(path, each, signal)));
          return {
            reference: path[0]!,
            id: path.map(({ name }) => name).join(' '),
            count: counts.reduce((sum, each) => sum + each, 0),
          };
        }),
      ),
    retry: false,
  });
  const used = data.filter(({ count }) => count > 0);
  if (used.length === 0) return null;
  return (
    <ul className="bullets">
      {used.map(({ id, reference: { from, onDelete }, count }) => (
        <li key={id}>{t.record.referrers[onDelete](titleOfCollection(from), count)}</li>
      ))}
    </ul>
  );
}
