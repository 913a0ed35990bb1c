/** Shows the request of the current list, as a URL and as a curl command. */
import { Box } from '@mui/material';
import { useListContext, useNotify, useStore } from 'react-admin';
import { base } from '../../shared/api/base.ts';
import { curlOf, type Filter, listUrl } from '../../shared/api/query.ts';
import { Icon } from '../../shared/page/icon.tsx';

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
        '& a': {
          fontFamily: 'ui-monospace, "Liberation Mono", monospace',
          color: 'text.secondary',
          overflowWrap: 'anywhere',
          minWidth: 0,
        },
        '& .button': { flexShrink: 0 },
      }}
    >
      <summary>Request</summary>
      <div>
        <a href={url} target="_blank" rel="noreferrer" data-testid="request-url">
          GET {readable(url)}
        </a>
        <button type="button" className="button" onClick={() => void copy()}>
          <Icon name="copy" />
          Copy as curl
        </button>
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
