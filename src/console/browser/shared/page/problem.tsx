/** An error message in place, with a retry button. The service's own message is in the details. */
import { Alert, AlertTitle, Box, Button } from '@mui/material';
import type { ReactNode } from 'react';
import { describeError, detailsOf } from '../values/words.ts';

interface ProblemProps {
  readonly title?: string;
  readonly error: unknown;
  readonly retry?: () => unknown;
  /** Further actions. */
  readonly children?: ReactNode;
}

export function ProblemInPlace({ title, error, retry, children }: ProblemProps) {
  const details = detailsOf(error);
  return (
    <Alert severity="error" sx={{ overflowWrap: 'anywhere', '& .MuiAlert-message': { minWidth: 0 } }}>
      {title !== undefined && <AlertTitle>{title}</AlertTitle>}
      {describeError(error)}
      {details !== undefined && (
        <Box component="details" sx={{ mt: 0.5, '& pre': { whiteSpace: 'pre-wrap', m: 0, mt: 0.5 } }}>
          <summary>Details</summary>
          <pre>{details}</pre>
        </Box>
      )}
      {(retry !== undefined || children !== undefined) && (
        <Box sx={{ mt: 1, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          {retry !== undefined && (
            <Button size="small" variant="outlined" color="inherit" onClick={() => void retry()}>
              Try again
            </Button>
          )}
          {children}
        </Box>
      )}
    </Alert>
  );
}
