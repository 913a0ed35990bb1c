/** The page of a new row. */
import { type FormEvent, useEffect, useRef } from 'react';
import { goTo, useAddress } from '../api/address.ts';
import { type Collection, titleOfCollection } from '../api/catalogue.ts';
import { rowAddress } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { NotFound } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { focusFirst, focusProblem, RecordForm, useSaveKey } from './form.tsx';
import { DraftState, RecordHead } from './page.tsx';
import { useRowForm } from './use-save.ts';

export default function NewPage() {
  const { collection, query } = useAddress();
  if (collection === undefined) return <NotFound />;
  const copied = new URLSearchParams(query).get('copy');
  const name = copied === null ? 'new' : `copy ${copied}`;
  return <NewRow key={`${collection.name} ${name}`} collection={collection} name={name} />;
}

/** `name` distinguishes the draft of a copy from that of an empty row. */
function NewRow({ collection, name }: { readonly collection: Collection; readonly name: string }) {
  const draft = useRowForm(collection, undefined, { name });
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(form);
  useEffect(() => focusFirst(form.current), []);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const row = await draft.save();
    if (row === undefined) focusProblem(form.current);
    // A save that waited for the connection leaves another page alone.
    else if (form.current !== null) goTo(rowAddress(collection, row));
  };
  const saveAndAdd = async () => {
    if ((await draft.save()) === undefined) focusProblem(form.current);
    else focusFirst(form.current);
  };
  return (
    <div className="record-page">
      <form ref={form} className="page" noValidate onSubmit={(event) => void onSubmit(event)}>
        <RecordHead collection={collection} title={t.app.newRowIn(titleOfCollection(collection))}>
          <DraftState draft={draft} />
          <Button onClick={() => void saveAndAdd()}>{t.record.saveAndAdd}</Button>
          <Button type="submit" kind="primary" title={t.record.saveKey} aria-disabled={draft.isPending}>
            {t.app.save}
          </Button>
        </RecordHead>
        <RecordForm collection={collection} draft={draft} />
      </form>
    </div>
  );
}
