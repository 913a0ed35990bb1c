/** What is filtered, whole and in its order, as a file: the service writes it, the browser saves it. */
import Download from '@mui/icons-material/Download';
import { Button, Menu, MenuItem } from '@mui/material';
import { useState } from 'react';
import { useListContext, useNotify } from 'react-admin';
import { collectionName } from '../shared/collection.ts';
import { ask, messageOf } from '../shared/http.ts';
import { type Filter, listUrl } from '../shared/query.ts';

interface Format {
  readonly label: string;
  readonly type: string;
  readonly extension: string;
  /** What the file begins with, and the browser takes away when it reads the answer. */
  readonly mark?: string;
}

const FORMATS: readonly Format[] = [
  { label: 'CSV', type: 'text/csv', extension: 'csv' },
  { label: 'CSV for a spreadsheet', type: 'text/csv;spreadsheet=true', extension: 'csv', mark: '\uFEFF' },
  { label: 'JSON', type: 'application/json', extension: 'json' },
];

export function ExportMenu() {
  const { filterValues, sort, total } = useListContext();
  const notify = useNotify();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const save = async ({ type, extension, mark = '' }: Format) => {
    setAnchor(undefined);
    try {
      const { body } = await ask(listUrl(filterValues as Filter, sort), { headers: { accept: type } });
      download(new Blob([mark, body], { type }), `${collectionName}.${extension}`);
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    }
  };
  return (
    <>
      <Button
        size="small"
        startIcon={<Download />}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        Export{total === undefined ? '' : ` (${total})`}
      </Button>
      <Menu open={anchor !== undefined} anchorEl={anchor ?? null} onClose={() => setAnchor(undefined)}>
        {FORMATS.map((format) => (
          <MenuItem key={format.label} onClick={() => void save(format)}>
            {format.label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

function download(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
