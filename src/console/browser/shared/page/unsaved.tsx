/** Asks before someone leaves unsaved work. */
import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { useBlocker } from 'ra-core';
import { type RefObject, useEffect } from 'react';

interface LeaveGuardProps {
  /** Read when the person leaves: work that was just saved is not unsaved. */
  readonly isUnsaved: RefObject<boolean>;
  /** Whether there was unsaved work at the last render. */
  readonly when: boolean;
  readonly what: string;
}

/** Asks before another page or list, the back button, or the tab's end. */
export function LeaveGuard({ isUnsaved, when, what }: LeaveGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation: here, nextLocation: next }) =>
      isUnsaved.current && (here.pathname !== next.pathname || here.search !== next.search),
  );
  useEffect(() => {
    if (!when) return;
    const beforeUnload = (event: BeforeUnloadEvent) => {
      if (isUnsaved.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', beforeUnload);
    return () => window.removeEventListener('beforeunload', beforeUnload);
  }, [when, isUnsaved]);
  if (blocker.state !== 'blocked') return null;
  return <DiscardDialog what={what} discard={() => blocker.proceed?.()} stay={() => blocker.reset?.()} />;
}

interface DiscardDialogProps {
  readonly what: string;
  readonly discard: () => void;
  readonly stay: () => void;
}

export function DiscardDialog({ what, discard, stay }: DiscardDialogProps) {
  return (
    <Dialog open onClose={stay} aria-labelledby="discard-title">
      <DialogTitle id="discard-title" sx={{ overflowWrap: 'anywhere' }}>
        Discard the changes to {what}?
      </DialogTitle>
      <DialogContent>
        <DialogContentText>They are not saved.</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={discard} color="error">
          Discard
        </Button>
        <Button onClick={stay} variant="contained" autoFocus>
          Keep editing
        </Button>
      </DialogActions>
    </Dialog>
  );
}
