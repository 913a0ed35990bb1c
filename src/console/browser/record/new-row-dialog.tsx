/** Asks for the values of a new row that another row is to refer to. */

import { type Collection, type Row, titleFieldOf, titleOfCollection } from '../api/catalogue.ts';
import { newRows } from '../api/questions.ts';
import { useStore } from '../base/store.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { useDraft } from './use-draft.ts';
import { useCreate } from './use-save.ts';

export default function NewRowDialogs() {
  return useStore(newRows).map(({ id, subject, answer }) => <NewRowDialog key={id} {...subject} onClose={answer} />);
}

interface NewRowDialogProps {
  readonly collection: Collection;
  readonly title: string;
  readonly onClose: (created?: Row) => void;
}

function NewRowDialog({ collection, title, onClose }: NewRowDialogProps) {
  const start = { [titleFieldOf(collection)!.name]: title };
  const draft = useDraft(collection, undefined, { name: 'dialog', start });
  const { save } = useCreate(collection, draft);
  const onSubmit = async () => {
    const row = await save();
    if (row !== undefined) onClose(row);
  };
  const cancel = () => {
    draft.reset();
    onClose();
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
