/** Asks for the values of a new row that another row is to refer to. */

import { type Row, titleFieldOf, titleOfCollection } from '../api/catalogue.ts';
import type { NewRow } from '../api/questions.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { useRowForm } from './use-save.ts';

interface NewRowDialogProps extends NewRow {
  readonly onCreate: (row: Row) => void;
}

export default function NewRowDialog({ collection, title, onCreate }: NewRowDialogProps) {
  const start = { [titleFieldOf(collection)!.name]: title };
  const draft = useRowForm(collection, undefined, { start, isKept: false });
  const onSubmit = async () => {
    const row = await draft.save();
    if (row !== undefined) onCreate(row);
    return row !== undefined;
  };
  return (
    <Dialog
      title={t.app.newRowIn(titleOfCollection(collection))}
      size="large"
      submit={{ label: t.record.create, onSubmit }}
    >
      <RecordForm collection={collection} draft={draft} name={`new-${collection.name}`} />
    </Dialog>
  );
}
