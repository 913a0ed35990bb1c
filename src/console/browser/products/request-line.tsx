/** The request behind the list, one click away: to read, to learn from and to take along. */
import Copy from '@mui/icons-material/ContentCopy';
import { Box, Button, Link } from '@mui/material';
import { useListContext, useNotify, useStore } from 'react-admin';
import { base } from '../shared/base.ts';
import { curlOf, type Filter, listUrl } from '../shared/query.ts';

export function RequestLine() {
  const { filterValues, sort } = useListContext();
  const notify = useNotify();
  const [isOpen, setOpen] = useStore('request.shown', false);
  const url = `${base}${listUrl(filterValues as Filter, sort)}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(curlOf(url));
      notify('Copied.', { type: 'info', autoHideDuration: 2000 });
    } catch {
      notify(curlOf(url), { type: 'info', autoHideDuration: 10_000, multiLine: true });
    }
  };
  return (
    <Box
      component="details"
      open={isOpen}
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
      sx={{
        fontSize: 13,
        minWidth: 0,
        '& summary': { color: 'text.secondary', cursor: 'pointer', width: 'fit-content' },
        '& > div': { display: 'flex', gap: 1, alignItems: 'center', minWidth: 0 },
      }}
    >
      <summary>Request</summary>
      <div>
        <Link
          href={url}
          target="_blank"
          rel="noreferrer"
          data-testid="request-url"
          sx={{
            fontFamily: 'ui-monospace, "Liberation Mono", monospace',
            color: 'text.secondary',
            overflowWrap: 'anywhere',
            minWidth: 0,
          }}
        >
          GET {readable(url)}
        </Link>
        <Button size="small" startIcon={<Copy fontSize="small" />} onClick={() => void copy()} sx={{ flexShrink: 0 }}>
          Copy as curl
        </Button>
      </div>
    </Box>
  );
}

function readable(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
