/**
 * Exports the selected rows, or all rows that match the filter. The service writes the file and the browser saves it.
 */
import { Alert, Button, CircularProgress, ListItemText, Menu, MenuItem, Snackbar } from '@mui/material';
import { useRef, useState } from 'react';
import { useListContext, useNotify } from 'react-admin';
import { keysAre } from '../../shared/api/api.ts';
import { collectionName, type Id } from '../../shared/api/collection.ts';
import { type Filter, listUrl, type Sort } from '../../shared/api/query.ts';
import { askStream } from '../../shared/api/stream.ts';
import { Icon } from '../../shared/page/icon.tsx';
import { chooseTarget, datedName } from '../../shared/page/save-file.ts';
import { countOf } from '../../shared/undo/bulk.ts';
import { formatDecimal, formatNumber } from '../../shared/values/numbers.ts';
import { describeError } from '../../shared/values/words.ts';
import { useSelection } from './selection.tsx';

interface Format {
  readonly label: string;
  readonly what: string;
  readonly type: string;
  readonly extension: string;
}

const FORMATS: readonly Format[] = [
  {
    label: 'CSV for a spreadsheet',
    what: 'Safe for Excel: no cell runs as a formula',
    type: 'text/csv;spreadsheet=true',
    extension: 'csv',
  },
  { label: 'CSV', what: 'The stored values, for programs', type: 'text/csv', extension: 'csv' },
  { label: 'JSON', what: 'One list of objects', type: 'application/json', extension: 'json' },
  { label: 'NDJSON', what: 'One object per line', type: 'application/x-ndjson', extension: 'ndjson' },
];

/** A file with more rows than this is streamed to the disk. */
const LARGE_ROWS = 2_000;
const MEGABYTE = 1024 * 1024;

export function ExportMenu() {
  const { filterValues, sort, total } = useListContext();
  const { target: selected } = useSelection();
  const notify = useNotify();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [bytes, setBytes] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const rows = selected === undefined ? total : countOf(selected);
  const what = selected === undefined ? 'Export' : 'Export selection';

  const save = async ({ type, extension }: Format) => {
    setAnchor(undefined);
    const control = new AbortController();
    running.current = control;
    try {
      const target = await chooseTarget(datedName(collectionName, extension), (rows ?? 0) > LARGE_ROWS);
      if (target === undefined) return;
      setBytes(0);
      const url = selected?.kind === 'rows' ? selectionUrl(selected.ids, sort) : listUrl(filterValues as Filter, sort);
      const content = await askStream(url, { accept: type, signal: control.signal });
      await target(content.pipeThrough(countBytes(setBytes)), type);
      notify(`Exported ${rows === undefined ? '' : `${formatNumber(rows)} rows`}.`, { type: 'info' });
    } catch (error) {
      if (!control.signal.aborted) {
        notify(`Nothing was exported: ${describeError(error)}`, { type: 'error', autoHideDuration: null });
      }
    }
    setBytes(undefined);
  };

  return (
    <>
      <button
        type="button"
        className="button"
        aria-haspopup="menu"
        disabled={bytes !== undefined}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Icon name="download" />
        {what}
        {rows === undefined ? '' : ` (${formatNumber(rows)})`}
      </button>
      {anchor !== undefined && (
        <Menu open anchorEl={anchor} onClose={() => setAnchor(undefined)}>
          {FORMATS.map((format) => (
            <MenuItem key={format.label} aria-label={format.label} onClick={() => void save(format)}>
              <ListItemText primary={format.label} secondary={format.what} />
            </MenuItem>
          ))}
        </Menu>
      )}
      {bytes !== undefined && (
        <Snackbar open>
          <Alert
            severity="info"
            role="status"
            icon={<CircularProgress size={20} aria-label="Exporting" />}
            action={
              <Button color="inherit" size="small" onClick={() => running.current?.abort()}>
                Stop
              </Button>
            }
          >
            Exporting{bytes < MEGABYTE ? '…' : `: ${formatDecimal(bytes / MEGABYTE, 0, 1)} MB`}
          </Alert>
        </Snackbar>
      )}
    </>
  );
}

function selectionUrl(ids: readonly Id[], sort: Sort): string {
  const url = listUrl({}, sort);
  return `${url}${url.includes('?') ? '&' : '?'}${keysAre(ids)}`;
}

/** Reports progress a few times a second. */
function countBytes(report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let reportedAt = 0;
  return new TransformStream({
    transform(piece, out) {
      bytes += piece.byteLength;
      if (performance.now() - reportedAt > 200) {
        reportedAt = performance.now();
        report(bytes);
      }
      out.enqueue(piece);
    },
  });
}
