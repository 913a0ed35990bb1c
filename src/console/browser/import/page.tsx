/**
 * The import page: choose a file, compare it with the stored rows, check it in a dry run, preview it, then store it.
 */
import { Alert, Box, Button, Card, CardContent, LinearProgress, Typography } from '@mui/material';
import { Link as RouterLink } from 'react-router-dom';
import { collectionName } from '../shared/api/collection.ts';
import { mayDelete } from '../shared/api/rights.ts';
import { Title } from '../shared/page/page-title.tsx';
import { counted, formatNumber } from '../shared/values/numbers.ts';
import { DropZone } from './drop-zone.tsx';
import { Preview } from './preview.tsx';
import { Questions } from './questions.tsx';
import { downloadInvalid } from './rest.ts';
import type { ImportOptions, Plan } from './row-outcome.ts';
import type { UndoResult } from './undo.ts';
import { type Import, type ImportResult, type Progress, useImport } from './use-import.ts';

export function ImportPage() {
  const current = useImport();
  const { options, plan, progress, problem } = current;
  return (
    <Box sx={{ py: 2, display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Title title="Import" />
      <Card>
        <CardContent sx={{ display: 'grid', gap: 2 }}>
          <DropZone open={(file) => void current.open(file)} />
          {problem !== undefined && (
            <Alert
              severity="error"
              action={
                options && (
                  <Button color="inherit" size="small" onClick={() => void current.check(options)}>
                    Try again
                  </Button>
                )
              }
            >
              {problem}
            </Alert>
          )}
          {progress !== undefined && <Bar progress={progress} />}
          {current.done !== undefined && (
            <Outcome done={current.done} undo={() => void current.undo()} isBusy={progress !== undefined} />
          )}
          {current.undone !== undefined && <UndoSummary undone={current.undone} close={current.close} />}
        </CardContent>
      </Card>
      {options !== undefined && plan !== undefined && <Proposal current={current} options={options} plan={plan} />}
    </Box>
  );
}

interface ProposalProps {
  readonly current: Import;
  readonly options: ImportOptions;
  readonly plan: Plan;
}

function Proposal({ current, options, plan }: ProposalProps) {
  const count = (kind: string) => plan.rowPlans.filter((rowPlan) => rowPlan.kind === kind).length;
  const [bad, asked] = [count('bad'), count('exists')];
  const good = count('new') + count('change');
  const check = (next: ImportOptions) => void current.check(next);
  const isBusy = current.progress !== undefined;
  const isUndecided = plan.existing > 0 && options.decision === undefined;
  return (
    <Card aria-busy={isBusy}>
      <CardContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', justifyItems: 'start' }}>
        <Alert severity={bad === 0 ? 'success' : 'warning'}>
          {options.sheet.name}: {counted(plan.rowPlans.length, 'row')},{' '}
          {bad === 0 ? 'all valid' : `${formatNumber(bad)} with errors`}. Nothing is stored yet.
        </Alert>
        <Questions options={options} plan={plan} check={check} />
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
          <Button
            variant="contained"
            disabled={good === 0 || isUndecided || isBusy}
            onClick={() => void current.store()}
          >
            {good === 0 && asked === 0
              ? 'Nothing to import'
              : bad === 0
                ? `Import ${counted(good + asked, 'row')}`
                : `Import ${counted(good + asked, 'valid row')}`}
          </Button>
          {bad > 0 && (
            <Button onClick={() => downloadInvalid(options.sheet, plan)}>Download {counted(bad, 'invalid row')}</Button>
          )}
          {isUndecided && <Typography variant="body2">First choose what happens to existing rows.</Typography>}
        </Box>
        <Preview options={options} plan={plan} check={check} />
      </CardContent>
    </Card>
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

interface OutcomeProps {
  readonly done: ImportResult;
  readonly undo: () => void;
  readonly isBusy: boolean;
}

function Outcome({ done, undo, isBusy }: OutcomeProps) {
  const { created, changed, same, left, failed } = done;
  const told = [
    ...(created.length > 0 ? [`${counted(created.length, 'row')} stored`] : []),
    ...(changed.length > 0 ? [`${counted(changed.length, 'row')} changed`] : []),
    ...(left > 0 ? [`${counted(left, 'row')} kept as stored`] : []),
    ...(same > 0 ? [`${counted(same, 'row')} unchanged`] : []),
  ];
  const reasons = Map.groupBy(failed.values(), (reason) => reason);
  return (
    <>
      <Alert
        severity="success"
        action={
          <>
            {created.length + changed.length > 0 && (created.length === 0 || mayDelete) && (
              <Button color="inherit" onClick={undo} disabled={isBusy}>
                Undo
              </Button>
            )}
            <Button color="inherit" component={RouterLink} to={`/${collectionName}`}>
              Show {collectionName}
            </Button>
          </>
        }
      >
        {told.length === 0 ? 'Nothing was stored' : told.join(', ')}.
      </Alert>
      {[...reasons].map(([reason, { length }]) => (
        <Alert key={reason} severity="error">
          {counted(length, 'row')} not stored: {reason}
        </Alert>
      ))}
    </>
  );
}

function UndoSummary({ undone, close }: { readonly undone: UndoResult; readonly close: () => void }) {
  const { removed, restored, kept } = undone;
  const told = [
    ...(removed > 0 ? [`${counted(removed, 'row was', 'rows were')} removed.`] : []),
    ...(restored > 0 ? [`${counted(restored, 'row was', 'rows were')} restored.`] : []),
    ...(kept > 0
      ? [
          `${counted(kept, 'row was', 'rows were')} kept, because someone else changed or deleted ${kept === 1 ? 'it' : 'them'}.`,
        ]
      : []),
  ];
  return (
    <Alert severity={kept > 0 ? 'warning' : 'success'} onClose={close}>
      {told.join(' ')}
    </Alert>
  );
}
