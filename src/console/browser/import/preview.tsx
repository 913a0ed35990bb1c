/** The file as it would be imported: what is new, what changes from what to what, and every bad cell, to be mended in place. */
import {
  Box,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TablePagination,
  TableRow,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material';
import { type KeyboardEvent, useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import { isNumeric, labelOf } from '../shared/collection.ts';
import { formatNumber } from '../shared/numbers.ts';
import { formatValue } from '../shared/values.ts';
import { choices, withField } from './columns.ts';
import type { Change, Fate, Plan, Terms } from './plan.ts';
import { cellText, withCell } from './sheet.ts';

const ROWS_PER_PAGE = 20;
const LONGEST_CELL = 200;

const WORDS: Readonly<Record<Fate['kind'], string>> = {
  bad: 'Bad',
  new: 'New',
  change: 'Changes',
  exists: 'Exists',
  same: 'The same',
  left: 'Left',
};

interface PreviewProps {
  readonly terms: Terms;
  readonly plan: Plan;
  readonly check: (terms: Terms) => void;
}

export function Preview({ terms, plan, check }: PreviewProps) {
  const { sheet, mapping } = terms;
  const places = Map.groupBy(
    plan.fates.map((_fate, at) => at),
    (at) => plan.fates[at]!.kind,
  );
  const [chosen, setChosen] = useState<Fate['kind'] | 'all'>(places.has('bad') ? 'bad' : 'all');
  const [page, setPage] = useState(0);
  const kind = chosen !== 'all' && !places.has(chosen) ? 'all' : chosen;
  const listed = kind === 'all' ? plan.fates.map((_fate, at) => at) : places.get(kind)!;
  const shownPage = Math.min(page, Math.max(0, Math.ceil(listed.length / ROWS_PER_PAGE) - 1));
  const shown = listed.slice(shownPage * ROWS_PER_PAGE, (shownPage + 1) * ROWS_PER_PAGE);
  return (
    <>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label="Rows that are shown"
        value={kind}
        onChange={(_event, next: typeof chosen | null) => setChosen(next ?? 'all')}
        sx={{ flexWrap: 'wrap', '& > *': { textTransform: 'none' } }}
      >
        <ToggleButton value="all">All ({formatNumber(plan.fates.length)})</ToggleButton>
        {[...places].map(([each, { length }]) => (
          <ToggleButton key={each} value={each}>
            {WORDS[each]} ({formatNumber(length)})
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Preview of the file">
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>Row</TableCell>
              <TableCell>What happens</TableCell>
              {sheet.columns.map((name, column) => (
                <TableCell key={name}>
                  <ColumnChoice
                    name={name}
                    field={mapping[column]}
                    choose={(field) => check({ ...terms, mapping: withField(mapping, column, field) })}
                  />
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {shown.map((at) => (
              <Row
                key={sheet.rows[at]!.line}
                terms={terms}
                at={at}
                fate={plan.fates[at]!}
                mend={(column, text) => check({ ...terms, sheet: withCell(sheet, at, column, text) })}
              />
            ))}
          </TableBody>
        </Table>
      </Box>
      <TablePagination
        component="div"
        count={listed.length}
        page={shownPage}
        rowsPerPage={ROWS_PER_PAGE}
        rowsPerPageOptions={[ROWS_PER_PAGE]}
        onPageChange={(_event, next) => setPage(next)}
      />
    </>
  );
}

interface ColumnChoiceProps {
  readonly name: string;
  readonly field: Field | undefined;
  readonly choose: (field: string) => void;
}

function ColumnChoice({ name, field, choose }: ColumnChoiceProps) {
  return (
    <Box sx={{ display: 'grid', gap: 0.5, minWidth: 110 }}>
      <span>{name}</span>
      <select
        aria-label={`Field of the column ${name}`}
        value={field?.name ?? ''}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Leave out</option>
        {choices.map((each) => (
          <option key={each.name} value={each.name}>
            {labelOf(each)}
          </option>
        ))}
      </select>
    </Box>
  );
}

interface RowProps {
  readonly terms: Terms;
  readonly at: number;
  readonly fate: Fate;
  readonly mend: (column: number, text: string) => void;
}

function Row({ terms: { sheet, mapping }, at, fate, mend }: RowProps) {
  const { line, cells, broken } = sheet.rows[at]!;
  const faults = fate.kind === 'bad' ? fate.faults : [];
  const changes = fate.kind === 'change' || fate.kind === 'exists' ? fate.changes : [];
  return (
    <TableRow data-fate={fate.kind}>
      <TableCell>{line}</TableCell>
      <TableCell sx={{ minWidth: 140, ...(fate.kind === 'bad' ? { color: 'error.main' } : {}) }}>
        {faults.length === 0
          ? WORDS[fate.kind]
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
              <Mending
                label={`${labelOf(field)} of row ${line}`}
                text={cellText(cells[column])}
                mend={(text) => mend(column, text)}
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

/** On to the next bad cell, where there is one. */
function leaveFor(input: HTMLInputElement): void {
  const all = [...document.querySelectorAll<HTMLInputElement>('td[data-bad=true] input')];
  const next = all[all.indexOf(input) + 1];
  if (next === undefined) input.blur();
  else next.focus();
}

interface MendingProps {
  readonly label: string;
  readonly text: string;
  readonly mend: (text: string) => void;
}

/** What was typed counts when one leaves it, or presses Enter. */
function Mending({ label, text, mend }: MendingProps) {
  const [typed, setTyped] = useState(text);
  const finish = () => {
    if (typed !== text) mend(typed);
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
