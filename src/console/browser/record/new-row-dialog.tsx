/** A dialog for a new row that another row is to refer to. */
import { type Collection, type Row, titleFieldOf, titleOfCollection } from '../api/catalogue.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { useDraft } from './use-draft.ts';
import { useCreate } from './use-save.ts';

interface NewRowDialogProps {
  readonly collection: Collection;
  readonly title: string;
  readonly onCreated: (row: Row) => void;
  readonly onClose: () => void;
}

export default function NewRowDialog({ collection, title, onCreated, onClose }: NewRowDialogProps) {
  const start = { [titleFieldOf(collection)!.name]: title };
  const draft = useDraft(collection, undefined, { name: 'dialog', start });
  const { save } = useCreate(collection, draft);
  const onSubmit = async () => {
    const row = await save();
    if (row !== undefined) onCreated(row);
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
