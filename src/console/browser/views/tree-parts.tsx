/** Parts of a tree: counts, and moves of rows. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  type Collection,
  type Field,
  labelOf,
  type Row,
  referrersOf,
  titleOf,
  titleOfCollection,
  type Value,
} from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { listAddress, listOf, type Pair } from '../api/query/list.ts';
import { keysFilter, pathOf, printName, queryText } from '../api/query/text.ts';
import { Dialog } from '../components/dialog.tsx';
import { Labelled } from '../components/small.tsx';
import { saveAndReport } from '../components/toasts.tsx';
import type { FieldPlace } from '../fields/kind.ts';
import { kindOf } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';

/** Moves a row below another row, or to the top. */
export function moveRow(collection: Collection, field: Field, row: Row, to: Row | null): Promise<void> {
  const value = to === null ? null : (to[collection.key[0]!.name] ?? null);
  const title = titleOf(collection, row);
  const message = to === null ? t.views.movedToTop(title) : t.views.movedBelow(title, titleOf(collection, to));
  return saveAndReport(collection, row, { [field.name]: value }, message);
}

/** The number of rows below each of these, by key. */
export async function readCounts(collection: Collection, field: Field, keys: readonly Value[]) {
  const filter = keysFilter(
    { key: [field] },
    keys.map((key) => ({ [field.name]: key })),
  );
  const { json } = await ask(`${pathOf(collection)}?${filter}&select=${printName(field.name)},count()`);
  const groups = json as readonly Readonly<Record<string, Value>>[];
  return new Map(groups.map((group) => [encodeURIComponent(String(group[field.name])), Number(group.count)]));
}

/** How many rows of the first other collection belong to a row, or to one below it. */
export function Referrers({ collection, row }: { readonly collection: Collection; readonly row: Row }) {
  const reference = referrersOf(collection).find(({ from }) => from !== collection);
  const condition: Pair = [reference?.field.name ?? '', `within.${row[collection.key[0]!.name]}`];
  const { data = 0 } = useQuery({
    queryKey: ['list', reference?.from.name, 'within', condition],
    queryFn: async ({ signal }) => {
      const url = `${pathOf(reference!.from)}?${queryText([[printName(condition[0]), condition[1]]])}&limit=0`;
      return countIn((await ask(url, { headers: { prefer: 'count=exact' }, signal })).headers);
    },
    enabled: reference !== undefined,
  });
  if (reference === undefined || data === 0) return null;
  return (
    <Link className="help" tabIndex={-1} href={listAddress(listOf(reference.from, [condition]))}>
      {titleOfCollection(reference.from)}: {formatNumber(data)}
    </Link>
  );
}

interface MoveDialogProps {
  readonly place: FieldPlace;
  readonly row: Row;
}

/** Asks below which row a row is to be. */
export function MoveDialog({ place, row }: MoveDialogProps) {
  const { collection, field } = place;
  const [text, setText] = useState('');
  const { Input, parse } = kindOf(place);
  const onSubmit = async () => {
    const parsed = parse(place, text);
    if ('problem' in parsed) throw new Error(parsed.problem);
    await moveRow(collection, field, row, { [collection.key[0]!.name]: parsed.value });
  };
  return (
    <Dialog title={t.views.move(titleOf(collection, row))} submit={{ label: t.views.moveTo, onSubmit }}>
      <Labelled id="move-to" label={labelOf(field)}>
        <Input {...place} id="move-to" text={text} onChange={setText} isFocused />
      </Labelled>
    </Dialog>
  );
}
