/** Asks for the values of a new row that another row is to refer to. */

import { type Row, titleFieldOf, titleOfCollection } from '../api/catalogue.ts';
import type { NewRow } from '../api/questions.ts';
import { Dialog, useClose } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { useDraft } from './use-draft.ts';
import { useCreate } from './use-save.ts';

interface NewRowDialogProps extends NewRow {
  readonly onCreate: (row: Row) => void;
}

export default function NewRowDialog({ collection, title, onCreate }: NewRowDialogProps) {
  const start = { [titleFieldOf(collection)!.name]: title };
  const draft = useDraft(collection, undefined, { name: 'dialog', start });
  const { save } = useCreate(collection, draft);
  const onSubmit = async () => {
    const row = await save();
    if (row !== undefined) onCreate(row);
    return row !== undefined;
  };
  const close = useClose();
  const cancel = () => {
    draft.reset();
    close();
  };
  return (
    <Dialog
      title={t.app.newRowIn(titleOfCollection(collection))}
      size="large"
      onClose={cancel}
      submit={{ label: t.record.create, onSubmit }}
    >
      <RecordForm collection={collection} draft={draft} name={`new-${collection.name}`} />
    </Dialog>
  );
}
