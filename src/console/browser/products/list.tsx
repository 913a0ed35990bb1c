/** The list: sorting, paging, a choice of columns, filters, changes in place, and actions on a selection. */
import Add from '@mui/icons-material/Add';
import { Box, Button, Card } from '@mui/material';
import { ListBase } from 'ra-core';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { collectionTitle, key, listPath } from '../shared/collection.ts';
import { ROWS_PER_PAGE } from '../shared/early.ts';
import { mayCreate } from '../shared/rights.ts';
import { ColumnsButton } from './columns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Grid } from './grid.tsx';
import { InlineEditing } from './inline-editing.tsx';
import { Pager } from './pager.tsx';
import { SelectionOfRows } from './selection.tsx';
import { ShownRows } from './shown-rows.tsx';
import { ViewsButton } from './views.tsx';

const SORT = { field: key.name, order: 'ASC' } as const;
/** What went wrong is said in place of the rows, and not in passing; without a connection, too. */
const QUIET = { onError: () => undefined, networkMode: 'always' } as const;

export function ListPage() {
  return (
    <ListBase sort={SORT} perPage={ROWS_PER_PAGE} queryOptions={QUIET}>
      <Title title={collectionTitle} />
      <ShownRows>
        <SelectionOfRows>
          <Box
            sx={{
              display: 'flex',
              flexWrap: 'wrap',
              justifyContent: 'flex-end',
              gap: 1,
              py: 1,
              '& > *': { lineHeight: 1.5 },
            }}
          >
            <ViewsButton />
            <ColumnsButton />
            <ExportMenu />
            {mayCreate && (
              <Button size="small" startIcon={<Add />} component={Link} to={`${listPath}/create`}>
                Create
              </Button>
            )}
          </Box>
          <Card sx={{ overflow: 'visible' }}>
            <FilterBar />
            <InlineEditing>
              <Grid />
            </InlineEditing>
          </Card>
        </SelectionOfRows>
      </ShownRows>
      <Pager />
    </ListBase>
  );
}
