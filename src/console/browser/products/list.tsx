/** The list page: filters, columns, sorting, paging, inline edits and bulk actions. */
import { Box, Card } from '@mui/material';
import { ListBase } from 'ra-core';
import { useEffect } from 'react';
import { Link } from 'react-router-dom';
import { collectionTitle, listPath } from '../shared/collection.ts';
import { ROWS_PER_PAGE } from '../shared/early.ts';
import { endFreshness, FIRST_SORT, freshness } from '../shared/first-page.ts';
import { Icon } from '../shared/icon.tsx';
import { Title } from '../shared/page-title.tsx';
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

/**
 * Errors are shown in place of the rows, not as a notification. Requests also run without a connection, so that they
 * fail visibly.
 */
const QUIET = { onError: () => undefined, networkMode: 'always', staleTime: freshness } as const;

export function ListPage() {
  useEffect(endFreshness, []);
  return (
    <ListBase disableAuthentication sort={FIRST_SORT} perPage={ROWS_PER_PAGE} queryOptions={QUIET}>
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
            }}
          >
            <ViewsButton />
            <ColumnsButton />
            <ExportMenu />
            {mayCreate && (
              <Link className="button" to={`${listPath}/create`}>
                <Icon name="add" />
                Create
              </Link>
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
