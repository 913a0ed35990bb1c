/** Import: a file is dropped, checked in a dry run, shown with its faults, and only then stored. */
import { Alert, Box, Button, Card, CardContent, LinearProgress, MenuItem, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { Title, useRefresh } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { deleteRows } from '../shared/api.ts';
import { collectionName } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { counted, formatNumber } from '../shared/numbers.ts';
import { type Checked, checkTable, ROWS_PER_REQUEST } from './check.ts';
import { DropZone } from './drop-zone.tsx';
import { Preview } from './preview.tsx';
import { readTable, type Table } from './read-file.ts';
import { type Mode, type Report, sendAll } from './send.ts';

interface Progress {
  readonly what: string;
  readonly done: number;
  readonly total: number;
}

const MODES: Readonly<Record<Mode, string>> = {
  refuse: 'is a mistake',
  merge: 'changes what is there',
  skip: 'is left out',
};

export function ImportPage() {
  const [table, setTable] = useState<Table>();
  const [mode, setMode] = useState<Mode>('refuse');
  const [checked, setChecked] = useState<Checked>();
  const [progress, setProgress] = useState<Progress>();
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState<string>();
  const [onlyBad, setOnlyBad] = useState(false);
  const refresh = useRefresh();

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setProgress(undefined);
  };
  const check = (next: Table, how: Mode) =>
    attempt(async () => {
      setReport(undefined);
      setChecked(undefined);
      setTable(next);
      const total = next.rows.length;
      setProgress({ what: 'Checking', done: 0, total });
      const found = await checkTable(next, how, (done) => setProgress({ what: 'Checking', done, total }));
      setOnlyBad(found.faults.length > 0);
      setChecked(found);
    });
  const open = (file: File) =>
    attempt(async () => {
      setTable(undefined);
      await check(await readTable(file), mode);
    });
  const bad = new Set(checked?.faults.map(({ row }) => row));
  const good = table?.rows.filter((_row, index) => !bad.has(index)) ?? [];
  const store = () =>
    attempt(async () => {
      const total = good.length;
      const step = (done: number) => setProgress({ what: 'Importing', done, total });
      step(0);
      setReport(await sendAll(good, mode, ROWS_PER_REQUEST, step));
      setChecked(undefined);
      refresh();
    });

  return (
    <Box sx={{ py: 2, display: 'grid', gap: 2 }}>
      <Title title="Import" />
      <Card>
        <CardContent sx={{ display: 'grid', gap: 2 }}>
          <DropZone open={(file) => void open(file)} />
          <TextField
            select
            size="small"
            label="A row whose ID exists already"
            value={mode}
            sx={{ maxWidth: 320 }}
            onChange={(event) => {
              const next = event.target.value as Mode;
              setMode(next);
              if (table !== undefined && report === undefined) void check(table, next);
            }}
          >
            {Object.entries(MODES).map(([value, label]) => (
              <MenuItem key={value} value={value}>
                {label}
              </MenuItem>
            ))}
          </TextField>
          {problem !== undefined && <Alert severity="error">{problem}</Alert>}
          {progress !== undefined && <Bar progress={progress} />}
          {report !== undefined && <Outcome report={report} mode={mode} done={() => setReport(undefined)} />}
        </CardContent>
      </Card>
      {table !== undefined && checked !== undefined && (
        <Card>
          <CardContent sx={{ display: 'grid', gap: 2 }}>
            <Summary table={table} checked={checked} bad={bad.size} />
            <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
              <Button
                variant="contained"
                disabled={good.length === 0 || progress !== undefined}
                onClick={() => void store()}
              >
                {bad.size === 0
                  ? `Import ${counted(good.length, 'row')}`
                  : `Import the ${counted(good.length, 'good row')}`}
              </Button>
              {bad.size > 0 && (
                <Button onClick={() => setOnlyBad(!onlyBad)}>{onlyBad ? 'Show all rows' : 'Show only bad rows'}</Button>
              )}
            </Box>
            <Preview table={table} checked={checked} onlyBad={onlyBad} />
          </CardContent>
        </Card>
      )}
    </Box>
  );
}

function Bar({ progress: { what, done, total } }: { readonly progress: Progress }) {
  return (
    <Box>
      <Typography variant="body2" role="status">
        {what} {formatNumber(done)} of {counted(total, 'row')}
      </Typography>
      <LinearProgress variant="determinate" value={total === 0 ? 0 : (100 * done) / total} aria-label={what} />
    </Box>
  );
}

interface SummaryProps {
  readonly table: Table;
  readonly checked: Checked;
  readonly bad: number;
}

function Summary({ table, checked, bad }: SummaryProps) {
  return (
    <>
      <Alert severity={bad === 0 ? 'success' : 'warning'}>
        {table.name}: {counted(table.rows.length, 'row')},{' '}
        {bad === 0 ? 'all of them good' : `${formatNumber(bad)} of them bad`}. Nothing is stored yet.
      </Alert>
      {checked.unknownColumns.length > 0 && (
        <Alert severity="info">Left out, since there are no such fields: {checked.unknownColumns.join(', ')}</Alert>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly report: Report;
  readonly mode: Mode;
  readonly done: () => void;
}

function Outcome({ report, mode, done }: OutcomeProps) {
  const [undone, setUndone] = useState<string>();
  const undo = () =>
    deleteRows(report.stored).then(
      (rows) => setUndone(`${counted(rows.length, 'row was', 'rows were')} removed again.`),
      (error: unknown) => setUndone(messageOf(error)),
    );
  if (undone !== undefined) return <Alert onClose={done}>{undone}</Alert>;
  return (
    <>
      <Alert
        severity="success"
        action={
          <>
            {/* What a merge has overwritten is gone; only rows that are new can be taken out again. */}
            {mode === 'refuse' && report.stored.length > 0 && (
              <Button color="inherit" onClick={() => void undo()}>
                Undo
              </Button>
            )}
            <Button color="inherit" component={RouterLink} to={`/${collectionName}`}>
              Show {collectionName}
            </Button>
          </>
        }
      >
        {counted(report.stored.length, 'row')} stored
        {report.kept > 0 && `, ${counted(report.kept, 'left out since it exists', 'left out since they exist')}`}.
      </Alert>
      {report.failures.map(({ rows, message }) => (
        <Alert key={message} severity="error">
          {counted(rows, 'row')} refused: {message}
        </Alert>
      ))}
    </>
  );
}
