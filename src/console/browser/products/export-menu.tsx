/** What is filtered, whole and in its order, as a file: the service writes it, the browser saves it. */
import Download from '@mui/icons-material/Download';
import { Button, Menu, MenuItem } from '@mui/material';
import { useState } from 'react';
import { useListContext, useNotify } from 'react-admin';
import { collectionName } from '../shared/collection.ts';
import { ask, messageOf } from '../shared/http.ts';
import { type Filter, listUrl } from '../shared/query.ts';

const FORMATS = [
  { label: 'CSV', type: 'text/csv', extension: 'csv' },
  { label: 'JSON', type: 'application/json', extension: 'json' },
] as const;

export function ExportMenu() {
  const { filterValues, sort, total } = useListContext();
  const notify = useNotify();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const save = async ({ type, extension }: (typeof FORMATS)[number]) => {
    setAnchor(undefined);
    try {
      const { body } = await ask(listUrl(filterValues as Filter, sort), { headers: { accept: type } });
      download(new Blob([body], { type }), `${collectionName}.${extension}`);
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
