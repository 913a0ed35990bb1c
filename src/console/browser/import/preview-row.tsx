/** A row of the preview: its result, its changes, and its bad cells as inputs. */
import { Box, TableCell, TableRow, Typography } from '@mui/material';
import { type KeyboardEvent, useState } from 'react';
import { isNumeric, labelOf } from '../shared/api/collection.ts';
import { formatValue } from '../shared/values/values.ts';
import type { Change, ImportOptions, RowPlan } from './row-outcome.ts';
import { cellText } from './sheet.ts';

const LONGEST_CELL = 200;

export const WORDS: Readonly<Record<RowPlan['kind'], string>> = {
  bad: 'Invalid',
  new: 'New',
  change: 'Changes',
  exists: 'Exists',
  same: 'Unchanged',
  left: 'Kept',
};

interface RowProps {
  readonly options: ImportOptions;
  readonly at: number;
  readonly rowPlan: RowPlan;
  readonly fix: (column: number, text: string) => void;
}

export function PreviewRow({ options: { sheet, mapping }, at, rowPlan, fix }: RowProps) {
  const { line, cells, broken } = sheet.rows[at]!;
  const faults = rowPlan.kind === 'bad' ? rowPlan.faults : [];
  const changes = rowPlan.kind === 'change' || rowPlan.kind === 'exists' ? rowPlan.changes : [];
  return (
    <TableRow data-plan={rowPlan.kind}>
      <TableCell>{line}</TableCell>
      <TableCell sx={{ minWidth: 180, ...(rowPlan.kind === 'bad' ? { color: 'error.main' } : {}) }}>
        {faults.length === 0
          ? WORDS[rowPlan.kind]
          : faults.map(({ message }) => (
              <Typography key={message} variant="body2">
                {message}
              </Typography>
            ))}
        {broken !== undefined && <code>{broken.text.slice(0, 200)}</code>}
      </TableCell>
      {sheet.columns.map((name, column) => {
        const field = mapping[column];
        const isBad = field !== undefined && broken === undefined && faults.some((fault) => fault.field === field.name);
        return (
          <TableCell
            key={name}
            align={field !== undefined && isNumeric(field) ? 'right' : 'left'}
            data-bad={isBad}
            sx={
              field === undefined
                ? { color: 'text.secondary', textDecoration: 'line-through' }
                : { maxWidth: 320, overflowWrap: 'anywhere' }
            }
          >
            {isBad ? (
              <CellFixer
                label={`${labelOf(field)} of row ${line}`}
                text={cellText(cells[column])}
                fix={(text) => fix(column, text)}
              />
            ) : (
              <Shown text={cellText(cells[column])} change={changes.find((each) => each.field === field)} />
            )}
          </TableCell>
        );
      })}
    </TableRow>
  );
}

function Shown({ text, change }: { readonly text: string; readonly change: Change | undefined }) {
  if (change === undefined) return <>{text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text}</>;
  const { field, before, after } = change;
  const value = (json: unknown) => formatValue(field, json as never);
  return (
    <span data-change={field.name}>
      <Box component="del" sx={{ color: 'text.secondary' }}>
        {value(before.json)}
      </Box>
      {' → '}
      <Box component="ins" sx={{ textDecoration: 'none', fontWeight: 600 }}>
        {value(after.json)}
      </Box>
    </span>
  );
}

/** Moves to the next bad cell, if there is one. */
function leaveFor(input: HTMLInputElement): void {
  const all = [...document.querySelectorAll<HTMLInputElement>('td[data-bad=true] input')];
  const next = all[all.indexOf(input) + 1];
  if (next === undefined) input.blur();
  else next.focus();
}

interface CellFixerProps {
  readonly label: string;
  readonly text: string;
  readonly fix: (text: string) => void;
}

/** An input for a bad cell. It reports a new value on blur or Enter. */
function CellFixer({ label, text, fix }: CellFixerProps) {
  const [typed, setTyped] = useState(text);
  const finish = () => {
    if (typed !== text) fix(typed);
  };
  return (
    <Box
      component="input"
      aria-label={label}
      aria-invalid
      value={typed}
      onChange={(event: { target: { value: string } }) => setTyped(event.target.value)}
      onBlur={finish}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        if (event.key === 'Enter') leaveFor(event.currentTarget);
      }}
      sx={{
        font: 'inherit',
        color: 'inherit',
        backgroundColor: 'transparent',
        border: '2px solid',
        borderColor: 'error.main',
        borderRadius: 1,
        px: 0.75,
        py: 0.25,
        width: '100%',
        minWidth: 90,
      }}
    />
  );
}
