/** One row, to change or delete. */
import { Edit, type RaRecord, SaveButton, SimpleForm, Toolbar, useRecordContext, useRedirect } from 'react-admin';
import { collectionName, key, labelOf, type Record_, titleOf } from '../shared/collection.ts';
import { mayDelete, mayUpdate } from '../shared/rights.ts';
import { DeleteButton } from './delete-button.tsx';
import { FormFields, withoutJsonText } from './form.tsx';
import { useOfferUndoOfChange } from './undo-change.ts';

export function EditPage() {
  const offerUndo = useOfferUndoOfChange();
  const redirect = useRedirect();
  const onSuccess = (row: RaRecord, { previousData }: { previousData?: RaRecord }) => {
    redirect('list', collectionName);
    offerUndo(previousData as unknown as Record_, row as unknown as Record_);
  };
  return (
    <Edit mutationMode="pessimistic" transform={withoutJsonText} mutationOptions={{ onSuccess }} title={<EditTitle />}>
      <SimpleForm sx={{ maxWidth: 820 }} toolbar={<EditToolbar />} sanitizeEmptyValues={false}>
        <FormFields isNew={false} />
      </SimpleForm>
    </Edit>
  );
}

function EditTitle() {
  const record = useRecordContext<Record_>();
  return <span>{record === undefined ? '' : `${titleOf(record)} (${labelOf(key)} ${record[key.name]})`}</span>;
}

function EditToolbar() {
  return (
    <Toolbar sx={{ justifyContent: 'space-between', backgroundColor: 'action.hover' }}>
      {mayUpdate && <SaveButton />}
      {mayDelete && <DeleteButton />}
    </Toolbar>
  );
}
