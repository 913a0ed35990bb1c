/** The table as it would be imported, with every bad cell marked and said in words. */
import { Box, Table, TableBody, TableCell, TableHead, TablePagination, TableRow, Typography } from '@mui/material';
import { useState } from 'react';
import { fieldNamed, isNumeric, labelOf } from '../shared/collection.ts';
import type { Checked } from './check.ts';
import type { Table as Read } from './read-file.ts';

const ROWS_PER_PAGE = 20;

interface PreviewProps {
  readonly table: Read;
  readonly checked: Checked;
  readonly onlyBad: boolean;
}

export function Preview({ table, checked, onlyBad }: PreviewProps) {
  const [page, setPage] = useState(0);
  const faultsByRow = Map.groupBy(checked.faults, ({ row }) => row);
  const places = onlyBad ? [...faultsByRow.keys()] : table.rows.map((_row, index) => index);
  const shownPage = Math.min(page, Math.max(0, Math.ceil(places.length / ROWS_PER_PAGE) - 1));
  const shown = places.slice(shownPage * ROWS_PER_PAGE, (shownPage + 1) * ROWS_PER_PAGE);
  return (
    <>
      <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Preview of the file">
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>Row</TableCell>
              {table.columns.map((name) => (
                <TableCell key={name}>{columnTitle(name)}</TableCell>
              ))}
              <TableCell>Problem</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {shown.map((row) => {
              const faults = faultsByRow.get(row) ?? [];
              return (
                <TableRow key={row} data-bad={faults.length > 0}>
                  <TableCell>{row + 1}</TableCell>
                  {table.columns.map((name) => (
                    <PreviewCell
                      key={name}
                      name={name}
                      value={table.rows[row]![name]}
                      isBad={faults.some(({ column }) => column === name)}
                    />
                  ))}
                  <TableCell sx={{ color: 'error.main', minWidth: 180 }}>
                    {faults.map(({ message }) => (
                      <Typography key={message} variant="body2">
                        {message}
                      </Typography>
                    ))}
                  </TableCell>
                </TableRow>
              );
            })}
          </TableBody>
        </Table>
      </Box>
      <TablePagination
        component="div"
        count={places.length}
        page={shownPage}
        rowsPerPage={ROWS_PER_PAGE}
        rowsPerPageOptions={[ROWS_PER_PAGE]}
        onPageChange={(_event, next) => setPage(next)}
      />
    </>
  );
}

interface PreviewCellProps {
  readonly name: string;
  readonly value: unknown;
  readonly isBad: boolean;
}

function PreviewCell({ name, value, isBad }: PreviewCellProps) {
  const field = fieldNamed(name);
  const text =
    value === null ? '–' : value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <TableCell
      align={field !== undefined && isNumeric(field) ? 'right' : 'left'}
      data-bad={isBad}
      sx={{
        ...(isBad ? { outline: '2px solid', outlineColor: 'error.main', outlineOffset: -2, color: 'error.main' } : {}),
        ...(field === undefined ? { color: 'text.disabled', textDecoration: 'line-through' } : {}),
      }}
    >
      {text === '' && isBad ? 'missing' : text}
      {isBad && <span className="visually-hidden"> (not accepted)</span>}
    </TableCell>
  );
}

function columnTitle(name: string): string {
  const field = fieldNamed(name);
  return field === undefined ? `${name} (left out)` : labelOf(field);
}
