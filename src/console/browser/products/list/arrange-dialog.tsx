/** The dialog for the order and width of columns. Changes apply at once and are stored in the browser. */
import Down from '@mui/icons-material/ArrowDownward';
import Up from '@mui/icons-material/ArrowUpward';
import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  IconButton,
  List,
  ListItem,
} from '@mui/material';
import { labelOf } from '../../shared/api/collection.ts';
import { useColumns } from './columns.tsx';

/** Width steps in pixels. */
const STEP = 10;

export function ArrangeDialog({ close }: { readonly close: () => void }) {
  const { shown, widthOf, move, resize, reset } = useColumns();
  return (
    <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="arrange-title">
      <DialogTitle id="arrange-title">Order and width of columns</DialogTitle>
      <DialogContent>
        <List dense disablePadding>
          {shown.map((field) => (
            <ListItem key={field.name} disableGutters sx={{ gap: 0.5 }}>
              <Box sx={{ flex: 1, overflowWrap: 'anywhere' }}>{labelOf(field)}</Box>
              <input
                type="range"
                min={40}
                max={500}
                step={STEP}
                value={widthOf(field)}
                onChange={(event) => resize(field, Number(event.target.value))}
                aria-label={`Width of ${labelOf(field)}`}
              />
              <IconButton
                size="small"
                aria-label={`Move ${labelOf(field)} left`}
                disabled={field === shown[0]}
                onClick={() => move(field, -1)}
              >
                <Up fontSize="small" />
              </IconButton>
              <IconButton
                size="small"
                aria-label={`Move ${labelOf(field)} right`}
                disabled={field === shown.at(-1)}
                onClick={() => move(field, 1)}
              >
                <Down fontSize="small" />
              </IconButton>
            </ListItem>
          ))}
        </List>
      </DialogContent>
      <DialogActions>
        <Button onClick={reset}>Reset</Button>
        <Button onClick={close} variant="contained">
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
