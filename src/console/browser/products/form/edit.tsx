/** The form of an existing row. */
import { Box, Card, LinearProgress } from '@mui/material';
import { type RefObject, useRef, useState } from 'react';
import { RecordContextProvider, SimpleForm, useGetOne, useRedirect } from 'react-admin';
import { useParams } from 'react-router-dom';
import { collectionName, type KeyedRow, key, labelOf, titleOf } from '../../shared/api/collection.ts';
import { mayDelete, mayUpdate } from '../../shared/api/rights.ts';
import { saveRow } from '../../shared/api/save-row.ts';
import { Title } from '../../shared/page/page-title.tsx';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { reportOutcome } from '../../shared/undo/undo-row.ts';
import { hasReferrers } from '../../shared/values/referrers.ts';
import { DeleteButton } from './delete-button.tsx';
import { FormEnd, FormFields, FormToolbar, readForm } from './form.tsx';
import { ReferrersOf } from './referrers.tsx';
import { useSaveOnce } from './save-once.ts';

/** The query never refetches while someone edits. Changes by others are merged on save. */
const ONCE = {
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  networkMode: 'always',
  onError: () => undefined,
} as const;

export function EditPage() {
  const { id = '' } = useParams();
  const { data, error, isFetching, refetch } = useGetOne<KeyedRow>(collectionName, { id }, ONCE);
  const isUnsaved = useRef(false);
  const editedRow = useRef<KeyedRow>(undefined);
  if (editedRow.current !== undefined && String(editedRow.current.id) !== id) editedRow.current = undefined;
  // The list may have cached an older row. An untouched form takes the current one.
  if (data !== undefined && !isFetching && (editedRow.current === undefined || !isUnsaved.current))
    editedRow.current = data;
  const row = editedRow.current;
  if (row !== undefined) return <EditForm key={id} row={row} isUnsaved={isUnsaved} />;
  if (error && !isFetching) {
    return (
      <Box sx={{ pt: 2 }}>
        <Title title={`${labelOf(key)} ${id}`} />
        <ProblemInPlace title="Could not load this page" error={error} retry={refetch} />
      </Box>
    );
  }
  return <LinearProgress aria-label="Loading" />;
}

function EditForm({ row, isUnsaved }: { readonly row: KeyedRow; readonly isUnsaved: RefObject<boolean> }) {
  const [error, setError] = useState<unknown>();
  const redirect = useRedirect();
  const { save, isSaving } = useSaveOnce(async (data) => {
    setError(undefined);
    try {
      const outcome = await saveRow({ row }, readForm(data, row));
      if (outcome.kind === 'editing') return 'editing';
      isUnsaved.current = false;
      redirect('list', collectionName);
      reportOutcome(outcome);
      return 'saved';
    } catch (problem) {
      setError(problem);
    }
    return 'editing';
  });
  const afterwards = () => {
    isUnsaved.current = false;
    redirect('list', collectionName);
  };
  const name = `${labelOf(key)} ${row[key.name]}`;
  const remove = mayDelete && <DeleteButton record={row} afterwards={afterwards} />;
  return (
    <RecordContextProvider value={row}>
      <Title title={titleOf(row) === name ? name : `${titleOf(row)} (${name})`} />
      <Card sx={{ mt: 2 }}>
        <SimpleForm
          record={row}
          onSubmit={save}
          sx={{ maxWidth: 820 }}
          toolbar={<FormToolbar remove={remove} maySave={mayUpdate} isSaving={isSaving} />}
          sanitizeEmptyValues={false}
          noValidate
        >
          <FormFields isNew={false} />
          <FormEnd isUnsaved={isUnsaved} what={titleOf(row)} error={error} />
        </SimpleForm>
      </Card>
      {hasReferrers && <ReferrersOf row={row} />}
    </RecordContextProvider>
  );
}
