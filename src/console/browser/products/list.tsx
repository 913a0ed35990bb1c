/** The grid: sorting, paging, a choice of columns, filters, changes in place, and actions on a selection. */
import { useMediaQuery } from '@mui/material';
import { ColumnsButton, CreateButton, DataTable, List, Pagination, TopToolbar } from 'react-admin';
import { fields, isNumeric, key, labelOf } from '../shared/collection.ts';
import { BulkActions } from './bulk-actions.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { InlineEditing } from './inline-editing.tsx';
import { RowActions } from './row-actions.tsx';
import { RowCell } from './row-cell.tsx';

export function ListPage() {
  return (
    <List
      actions={<ListActions />}
      sort={{ field: key.name, order: 'ASC' }}
      perPage={25}
      pagination={<Pagination rowsPerPageOptions={[10, 25, 50, 100, 250]} />}
      empty={false}
      sx={{ '& .RaList-main': { minWidth: 0 }, '& .RaList-content': { minWidth: 0 } }}
    >
      <FilterBar />
      <InlineEditing>
        <Grid />
      </InlineEditing>
    </List>
  );
}

/** The choice of columns is kept, for wide and narrow screens apart. */
function useScreen(): { readonly isNarrow: boolean; readonly storeKey: string } {
  const isNarrow = useMediaQuery('(max-width: 700px)');
  return { isNarrow, storeKey: isNarrow ? 'grid.narrow' : 'grid.wide' };
}

function ListActions() {
  const { storeKey } = useScreen();
  return (
    <TopToolbar sx={{ alignItems: 'center', backgroundColor: 'transparent', '& > button, & > a': { py: 0.5 } }}>
      <ColumnsButton storeKey={storeKey} />
      <ExportMenu />
      <CreateButton />
    </TopToolbar>
  );
}

function Grid() {
  const { isNarrow, storeKey } = useScreen();
  // A narrow screen begins with what identifies a row and what it costs; the rest is a choice of columns away.
  const hidden = isNarrow
    ? fields.filter(({ role }) => role !== 'title' && role !== 'price').map(({ name }) => name)
    : [];
  return (
    <DataTable
      rowClick={false}
      bulkActionButtons={<BulkActions />}
      hiddenColumns={hidden}
      storeKey={storeKey}
      sx={{
        '& .RaDataTable-tableWrapper': { overflowX: 'auto' },
        '& td, & th': { px: 1 },
        // The arrow of a column that is not sorted by takes no room.
        '& .MuiTableSortLabel-root:not(.Mui-active) .MuiTableSortLabel-icon': { display: 'none' },
      }}
    >
      {fields.map((field) => (
        <DataTable.Col
          key={field.name}
          source={field.name}
          label={labelOf(field)}
          align={isNumeric(field) && field.role !== 'flag' ? 'right' : 'left'}
          sx={{ minWidth: field.role === 'title' ? 180 : 0, lineHeight: 1.25 }}
        >
          <RowCell field={field} />
        </DataTable.Col>
      ))}
      <DataTable.Col label={<span className="visually-hidden">Actions</span>} align="right" disableSort>
        <RowActions />
      </DataTable.Col>
    </DataTable>
  );
}
