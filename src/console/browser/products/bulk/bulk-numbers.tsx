/** The preview of a bulk calculation: the first rows, old → new, and the number of changes. */
import { Box, Table, TableBody, TableCell, TableHead, TableRow, Typography } from '@mui/material';
import { useEffect, useMemo, useState } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import { countedRows, type KeyedRow, labelOf, oneOf, titleOf } from '../../shared/api/collection.ts';
import { isUndoable, type RowChange, rowsFor, type Target } from '../../shared/undo/bulk.ts';
import { applyOperation, type Operation } from '../../shared/values/arithmetic.ts';
import { readNumber } from '../../shared/values/numbers.ts';
import { isSame } from '../../shared/values/same.ts';
import { formatValue } from '../../shared/values/values.ts';

const SHOWN = 5;

interface Calculation {
  readonly changes: readonly RowChange[];
  /** Number of rows without a value. */
  readonly empty: number;
  /** Why the calculation is not possible. */
  readonly problem?: string;
}

export interface CalculationState {
  readonly calculation: Calculation | undefined;
  readonly error: unknown;
}

/** Reads the rows once per field, and calculates every typed amount locally. */
export function useCalculation(
  target: Target,
  field: Field,
  operation: Operation | undefined,
  typed: string,
): CalculationState {
  const [rows, setRows] = useState<{ readonly name: string; readonly all: readonly KeyedRow[] }>();
  const [error, setError] = useState<unknown>();
  const isWanted = operation !== undefined && isUndoable(target);
  useEffect(() => {
    if (!isWanted) return;
    let isWaiting = true;
    setError(undefined);
    rowsFor(target, field).then(
      (all) => isWaiting && setRows({ name: field.name, all }),
      (problem: unknown) => isWaiting && setError(problem),
    );
    return () => {
      isWaiting = false;
    };
  }, [isWanted, target, field]);
  const calculation = useMemo(() => {
    const amount = readNumber(typed);
    if (!isWanted || operation === undefined || rows?.name !== field.name || amount === undefined) return undefined;
    return calculate(rows.all, field, operation, amount);
  }, [isWanted, operation, rows, field, typed]);
  return { calculation, error };
}

function calculate(rows: readonly KeyedRow[], field: Field, operation: Operation, amount: string): Calculation {
  const changes: RowChange[] = [];
  let empty = 0;
  for (const row of rows) {
    const before = row[field.name] ?? null;
    const entered = applyOperation(field, before, operation, amount);
    if (entered === undefined) empty++;
    else if ('problem' in entered) return { changes: [], empty, problem: `${titleOf(row)}: ${entered.problem}` };
    else if (!isSame(before, entered.value)) changes.push({ row, before, after: entered.value });
  }
  return { changes, empty };
}

export function CalculationPreview({
  field,
  calculation,
}: {
  readonly field: Field;
  readonly calculation: Calculation;
}) {
  const { changes, empty, problem } = calculation;
  if (problem !== undefined) {
    return (
      <Typography role="alert" color="error">
        {problem} Nothing is changed until this is resolved.
      </Typography>
    );
  }
  const left = empty === 0 ? '' : ` ${countedRows(empty)} without a number ${empty === 1 ? 'does' : 'do'} not change.`;
  return (
    <Box>
      <Typography role="status" variant="body2">
        {changes.length === 0 ? 'Nothing changes.' : `${countedRows(changes.length)} will change.`}
        {left}
      </Typography>
      {changes.length > 0 && (
        <Table size="small" aria-label="The first changes">
          <TableHead>
            <TableRow>
              <TableCell sx={{ textTransform: 'capitalize' }}>{oneOf()}</TableCell>
              <TableCell align="right">{labelOf(field)}, old → new</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {changes.slice(0, SHOWN).map(({ row, before, after }) => (
              <TableRow key={row.id}>
                <TableCell sx={{ overflowWrap: 'anywhere' }}>{titleOf(row)}</TableCell>
                <TableCell align="right">
                  {formatValue(field, before)} → {formatValue(field, after)}
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
    </Box>
  );
}
