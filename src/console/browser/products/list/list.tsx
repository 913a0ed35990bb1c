/** The list page: filters, columns, sorting, paging, inline edits and bulk actions. */
import { Box, Card } from '@mui/material';
import { ListBase } from 'ra-core';
import { useEffect } from 'react';
import { Link } from 'react-router-dom';
import { collectionTitle, listPath } from '../../shared/api/collection.ts';
import { ROWS_PER_PAGE } from '../../shared/api/early.ts';
import { endFreshness, FIRST_SORT, freshness } from '../../shared/api/first-page.ts';
import { mayCreate } from '../../shared/api/rights.ts';
import { Icon } from '../../shared/page/icon.tsx';
import { Title } from '../../shared/page/page-title.tsx';
import { FilterBar } from '../filters/filter-bar.tsx';
import { ColumnsButton } from './columns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Grid } from './grid.tsx';
import { InlineEditing } from './inline-editing.tsx';
import { Pager } from './pager.tsx';
import { SelectionOfRows } from './selection.tsx';
import { ViewsButton } from './views.tsx';
import { ShownRows } from './visible-rows.tsx';

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
