/**
 * The grid. react-admin keeps what is shown, sorted and selected; the table itself is plain HTML, since a page has
 * hundreds of cells and its first view should not wait for as many components.
 */
import { Box, LinearProgress } from '@mui/material';
import { DataTableBase } from 'ra-core';
import { BulkActionsToolbar, ListNoResults, useListContext } from 'react-admin';
import { BulkActions } from './bulk-actions.tsx';
import { useColumns } from './columns.tsx';
import { gridStyle } from './grid-style.ts';
import { Head } from './head.tsx';
import { Rows } from './rows.tsx';

export function Grid() {
  const { shown } = useColumns();
  const { selectedIds = [] } = useListContext();
  return (
    <DataTableBase hasBulkActions loading={<LinearProgress aria-label="Loading" />} empty={<ListNoResults />}>
      {selectedIds.length > 0 && (
        <BulkActionsToolbar>
          <BulkActions />
        </BulkActionsToolbar>
      )}
      <Box sx={gridStyle}>
        <table>
          <Head columns={shown} />
          <Rows columns={shown} />
        </table>
      </Box>
    </DataTableBase>
  );
}
