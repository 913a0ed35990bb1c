/** The form for a new row. */
import { Card } from '@mui/material';
import { useRef, useState } from 'react';
import { SimpleForm, useRedirect } from 'react-admin';
import { createRow } from '../../shared/api/api.ts';
import { collectionName, fieldNamed, oneOf } from '../../shared/api/collection.ts';
import { Title } from '../../shared/page/page-title.tsx';
import { offerUndoOfCreation } from '../../shared/undo/undo-row.ts';
import { rememberCreated } from '../list/visible-rows.tsx';
import { FormEnd, FormFields, FormToolbar, isFilledIn, readForm } from './form.tsx';
import { useSaveOnce } from './save-once.ts';

const NONE = {};

export function CreatePage() {
  const [error, setError] = useState<unknown>();
  const isUnsaved = useRef(false);
  const redirect = useRedirect();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const { save, isSaving } = useSaveOnce(async (data) => {
    setError(undefined);
    try {
      const row = await createRow(withoutEmpty(readForm(data)), idempotencyKey);
      isUnsaved.current = false;
      rememberCreated(row.id);
      redirect('list', collectionName);
      offerUndoOfCreation(row);
      return 'saved';
    } catch (problem) {
      setError(problem);
    }
    return 'editing';
  });
  return (
    <>
      <Title title={`New ${oneOf()}`} />
      <Card sx={{ mt: 2 }}>
        <SimpleForm
          record={NONE}
          onSubmit={save}
          sx={{ maxWidth: 820 }}
          toolbar={<FormToolbar maySave isSaving={isSaving} />}
          noValidate
        >
          <FormFields isNew />
          <FormEnd isUnsaved={isUnsaved} what={`the new ${oneOf()}`} error={error} />
        </SimpleForm>
      </Card>
    </>
  );
}

function withoutEmpty(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== null || !isFilledIn(fieldNamed(name)!)),
  );
}
