/** A new row. */
import { Create, type RaRecord, SimpleForm, useRedirect } from 'react-admin';
import { deleteRows } from '../shared/api.ts';
import { type Cells, collectionName, fields, idOf, key, titleOf } from '../shared/collection.ts';
import { offerUndo } from '../shared/undo.tsx';
import { FormFields, withoutJsonText } from './form.tsx';

export function CreatePage() {
  const redirect = useRedirect();
  const onSuccess = (row: RaRecord) => {
    redirect('list', collectionName);
    offerUndo(`${titleOf(row as unknown as Cells)} was created.`, async () => {
      await deleteRows([idOf(row.id)]);
    });
  };
  return (
    <Create mutationOptions={{ onSuccess }} transform={withoutEmpty}>
      <SimpleForm sx={{ maxWidth: 820 }}>
        <FormFields isNew />
      </SimpleForm>
    </Create>
  );
}

/** A key that was left out is assigned, and a field with a default takes it. */
function withoutEmpty(data: Record<string, unknown>): Record<string, unknown> {
  const isOptional = (name: string) =>
    name === key.name ||
    fields.some((field) => field.name === name && (field.default ?? field.generated) !== undefined);
  return Object.fromEntries(
    Object.entries(withoutJsonText(data)).filter(
      ([name, value]) => !((value === null || value === undefined) && isOptional(name)),
    ),
  );
}
