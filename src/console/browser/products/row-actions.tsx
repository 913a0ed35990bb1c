/** The buttons at the end of a row: edit in place and delete; while editing, save and cancel. */
import Check from '@mui/icons-material/Check';
import Close from '@mui/icons-material/Close';
import Edit from '@mui/icons-material/Edit';
import { Box, IconButton, Tooltip } from '@mui/material';
import type { ReactNode } from 'react';
import { useRecordContext } from 'react-admin';
import { fields, key, type Record_, titleOf } from '../shared/collection.ts';
import { DeleteButton } from './delete-button.tsx';
import { useEditing } from './inline-editing.tsx';

export function RowActions() {
  const record = useRecordContext<Record_>();
  const { draft, begin, save, cancel } = useEditing();
  if (record === undefined) return null;
  const title = titleOf(record);
  const first = fields.find((field) => field.role === 'title') ?? fields.find((field) => field !== key)!;
  return (
    <Box sx={{ display: 'flex', justifyContent: 'flex-end', whiteSpace: 'nowrap' }}>
      {draft?.row.id === record.id ? (
        <>
          <Action
            label="Save"
            title={title}
            run={() => void save()}
            icon={<Check fontSize="small" color="primary" />}
          />
          <Action label="Cancel" title={title} run={cancel} icon={<Close fontSize="small" />} />
        </>
      ) : (
        <>
          <Action
            label="Edit in place"
            title={title}
            run={() => void begin(record.id, first.name)}
            icon={<Edit fontSize="small" />}
          />
          <DeleteButton afterwards="stay" />
        </>
      )}
    </Box>
  );
}

interface ActionProps {
  readonly label: string;
  readonly title: string;
  readonly run: () => void;
  readonly icon: ReactNode;
}

function Action({ label, title, run, icon }: ActionProps) {
  return (
    <Tooltip title={label}>
      <IconButton size="small" aria-label={`${label}: ${title}`} onClick={run}>
        {icon}
      </IconButton>
    </Tooltip>
  );
}
