/** The page of a new row. */
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { type Collection, collectionNamed, type Row, titleOfCollection } from '../api/catalogue.ts';
import { rowAddress } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { createRow } from '../api/rows.ts';
import { NotFound } from '../app/not-found.tsx';
import { notify, notifyError } from '../app/toasts.tsx';
import { Button } from '../components/button.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { RecordHead } from './page.tsx';
import { useDraft } from './use-draft.ts';

export default function NewPage() {
  const [location] = useLocation();
  const collection = collectionNamed(location.split('/')[2] ?? '');
  if (collection === undefined) return <NotFound />;
  return <NewRow key={collection.name} collection={collection} />;
}

function NewRow({ collection }: { readonly collection: Collection }) {
  const [, navigate] = useLocation();
  const draft = useDraft(collection, undefined);
  // A repeated save after a lost answer has the same key, so that the row is stored once.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const create = useWrite(collection, (row: Row) => createRow(collection, row, idempotencyKey));
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const values = draft.read();
    if (values === undefined) return;
    try {
      const written = await create.run(values);
      if (written === undefined) return;
      notify(t.record.created, written);
      navigate(rowAddress(collection, written.rows[0]!));
    } catch (failure) {
      if (!draft.showErrors(failure)) notifyError(failure);
    }
  };
  return (
    <form className="page record-page" noValidate onSubmit={(event) => void onSubmit(event)}>
      <RecordHead collection={collection} title={t.record.newIn(titleOfCollection(collection))}>
        <Button type="submit" kind="primary" aria-disabled={create.isPending}>
          {t.app.save}
        </Button>
      </RecordHead>
      <RecordForm collection={collection} draft={draft} isNew />
    </form>
  );
}
