/** The preview of an import: the field of each column and the result of each row. */
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
} from '@mui/material';
import { useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import { labelOf } from '../shared/api/collection.ts';
import { formatNumber } from '../shared/values/numbers.ts';
import { choices, withField } from './columns.ts';
import { PreviewRow, WORDS } from './preview-row.tsx';
import type { ImportOptions, Plan, RowPlan } from './row-outcome.ts';
import { withCell } from './sheet.ts';

const ROWS_PER_PAGE = 20;

interface PreviewProps {
  readonly options: ImportOptions;
  readonly plan: Plan;
  readonly check: (options: ImportOptions) => void;
}

export function Preview({ options, plan, check }: PreviewProps) {
  const { sheet, mapping } = options;
  const places = Map.groupBy(
    plan.rowPlans.map((_fate, at) => at),
    (at) => plan.rowPlans[at]!.kind,
  );
  const [chosen, setChosen] = useState<RowPlan['kind'] | 'all'>(places.has('bad') ? 'bad' : 'all');
  const [page, setPage] = useState(0);
  const kind = chosen !== 'all' && !places.has(chosen) ? 'all' : chosen;
  const listed = kind === 'all' ? plan.rowPlans.map((_fate, at) => at) : places.get(kind)!;
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
        sx={{ flexWrap: 'wrap', '& .MuiToggleButton-root': { textTransform: 'none' } }}
      >
        <ToggleButton value="all">All ({formatNumber(plan.rowPlans.length)})</ToggleButton>
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
                    choose={(field) => check({ ...options, mapping: withField(mapping, column, field) })}
                  />
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {shown.map((at) => (
              <PreviewRow
                key={sheet.rows[at]!.line}
                options={options}
                at={at}
                rowPlan={plan.rowPlans[at]!}
                fix={(column, text) => check({ ...options, sheet: withCell(sheet, at, column, text) })}
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
