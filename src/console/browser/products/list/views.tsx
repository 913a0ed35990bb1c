/** Saved views: a filter and an order with a name, stored in the browser. A view is an address that can be shared. */

import Delete from '@mui/icons-material/Delete';
import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  IconButton,
  Link,
  List,
  ListItem,
  TextField,
  Typography,
} from '@mui/material';
import { type FormEvent, useState } from 'react';
import { useListContext, useStore } from 'react-admin';
import { collectionName, listPath } from '../../shared/api/collection.ts';
import { filterOf } from '../../shared/api/query.ts';
import { Icon } from '../../shared/page/icon.tsx';

interface View {
  readonly name: string;
  /** The search part of the address. */
  readonly query: string;
}

const NONE: readonly View[] = [];
const LONGEST_NAME = 80;

function useViews() {
  const { filterValues, sort, perPage } = useListContext();
  const [views, setViews] = useStore<readonly View[]>(`${collectionName}.views`, NONE);
  const query = new URLSearchParams({
    filter: JSON.stringify(filterOf(filterValues)),
    sort: sort.field,
    order: sort.order,
    perPage: String(perPage),
    page: '1',
  }).toString();
  return {
    views,
    current: views.find((each) => each.query === query),
    /** Replaces a view with the same name. */
    save: (name: string) => setViews([...views.filter((each) => each.name !== name), { name, query }]),
    remove: (name: string) => setViews(views.filter((each) => each.name !== name)),
  };
}

export function ViewsButton() {
  const { views, current, save, remove } = useViews();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const close = () => setOpen(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    save(name.trim());
    setName('');
    close();
  };
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="bookmark" />
        {current === undefined ? 'Views' : `View: ${current.name}`}
      </button>
      {isOpen && (
        <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="views-title">
          <DialogTitle id="views-title">Views</DialogTitle>
          <DialogContent>
            {views.length === 0 && (
              <Typography>You have no views yet. A view stores the filters and the sort order.</Typography>
            )}
            <List dense disablePadding>
              {views.map((view) => (
                <ListItem
                  key={view.name}
                  disableGutters
                  secondaryAction={
                    <IconButton
                      edge="end"
                      aria-label={`Delete the view ${view.name}`}
                      onClick={() => remove(view.name)}
                    >
                      <Delete fontSize="small" />
                    </IconButton>
                  }
                >
                  <Link href={`#${listPath}?${view.query}`} onClick={close} sx={{ overflowWrap: 'anywhere' }}>
                    {view.name}
                  </Link>
                </ListItem>
              ))}
            </List>
            <Box component="form" id="new-view" onSubmit={submit} sx={{ mt: 1 }}>
              <TextField
                label="Name of this view"
                value={name}
                onChange={(event) => setName(event.target.value)}
                autoComplete="off"
                fullWidth
                slotProps={{ htmlInput: { maxLength: LONGEST_NAME } }}
              />
            </Box>
          </DialogContent>
          <DialogActions>
            <Button onClick={close}>Close</Button>
            <Button type="submit" form="new-view" variant="contained" disabled={name.trim() === ''}>
              Save this view
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
