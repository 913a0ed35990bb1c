/** The page of a new row. */
import { type FormEvent, useRef } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../api/address.ts';
import { type Collection, titleOfCollection } from '../api/catalogue.ts';
import { rowAddress } from '../api/query/keys.ts';
import { Button } from '../components/button.tsx';
import { NotFound } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { focusProblem, RecordForm, useSaveKey } from './form.tsx';
import { DraftState, RecordHead } from './page.tsx';
import { useDraft } from './use-draft.ts';
import { useCreate } from './use-save.ts';

export default function NewPage() {
  const { collection } = useAddress();
  if (collection === undefined) return <NotFound />;
  return <NewRow key={collection.name} collection={collection} />;
}

function NewRow({ collection }: { readonly collection: Collection }) {
  const [, navigate] = useLocation();
  const draft = useDraft(collection, undefined);
  const { isPending, save } = useCreate(collection, draft);
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(form);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const row = await save();
    if (row === undefined) focusProblem(form.current);
    else navigate(rowAddress(collection, row));
  };
  const saveAndAdd = async () => {
    if ((await save()) === undefined) focusProblem(form.current);
    else form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  };
  return (
    <div className="record-page">
      <form ref={form} className="page" noValidate onSubmit={(event) => void onSubmit(event)}>
        <RecordHead collection={collection} title={t.app.newRowIn(titleOfCollection(collection))}>
          <DraftState draft={draft} />
          <Button onClick={() => void saveAndAdd()}>{t.record.saveAndAdd}</Button>
          <Button type="submit" kind="primary" title={t.record.saveKey} aria-disabled={isPending}>
            {t.app.save}
          </Button>
        </RecordHead>
        <RecordForm collection={collection} draft={draft} />
      </form>
    </div>
  );
}
