/** The request behind the list, to read, to learn from and to take along. */
import Copy from '@mui/icons-material/ContentCopy';
import { Box, Button, Link } from '@mui/material';
import { useListContext, useNotify } from 'react-admin';
import { base } from '../shared/base.ts';
import { curlOf, type Filter, listUrl } from '../shared/query.ts';

export function RequestLine() {
  const { filterValues, sort } = useListContext();
  const notify = useNotify();
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
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', minWidth: 0, fontSize: 13 }}>
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
        GET {decodeURI(url)}
      </Link>
      <Button size="small" startIcon={<Copy fontSize="small" />} onClick={() => void copy()} sx={{ flexShrink: 0 }}>
        Copy as curl
      </Button>
    </Box>
  );
}
