/**
 * Undo from request to answer: the filter selects changes of the log, and their inverses are written in one
 * transaction. A row that another write changes meanwhile fails its precondition; then the log is read again.
 */
import { ApiError } from '../base/errors.ts';
import { rowDenied } from '../collection/access/permission-errors.ts';
import { CHANGES_NAME } from '../collection/change-log.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { type Preferences, parsePrefer } from '../dialect/prefer.ts';
import { EMPTY_QUERY, parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Engine, Write, WriteResult } from '../engine/engine.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import { checkPost } from '../http/own-paths.ts';
import { WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { type Conflict, undoAnswer } from '../response/undo.ts';
import { LogReader } from './undo-log.ts';
import { type PlannedRevert, planUndo } from './undo-plan.ts';

/** The number of times that the log is read again, because rows changed meanwhile. */
const ATTEMPTS = 3;

/** `seen` is the catalogue as the caller sees it. */
export async function undo(
  engine: Engine,
  files: Files | undefined,
  request: Request,
  seen: Catalogue,
  context: RequestContext,
): Promise<Answer> {
  checkPost(context.method);
  const { path } = context.location;
  const preferences = parsePrefer(request.headers.get('prefer'));
  const query = parseQuery(path.includes('?') ? path.slice(path.indexOf('?') + 1) : '');
  checkFiltersOnly(query);
  context.done('parse');
  for (let attempt = 1; ; attempt++) {
    try {
      return await trackWork(context, attemptUndo(engine, files, query, preferences, seen, context));
    } catch (error) {
      if (!(error instanceof UnexpectedRow)) throw error;
      if (attempt === ATTEMPTS) throw blocked(error.revert, context);
    }
  }
}

async function attemptUndo(
  engine: Engine,
  files: Files | undefined,
  query: Query,
  preferences: Preferences,
  seen: Catalogue,
  context: RequestContext,
): Promise<Answer> {
  if (engine.log === undefined) throw notLogged();
  const permissions = context.access?.permissions;
  const { seq: position } = await engine.log.position();
  const log = new LogReader(engine, seen.builtIn.get(CHANGES_NAME)!, seen, permissions, position);
  const selected = await log.selected(query, (plan) => context.setPlan(plan));
  const conflicts = await log.conflicts(selected);
  if (conflicts.length > 0 && preferences.conflicts !== 'skip') throw conflicting(conflicts);
  const changes = selected.filter(({ collection, key }) => {
    return !conflicts.some((each) => each.collection === collection.name && each.key === key);
  });
  const reverts = await planUndo(changes, log, permissions);
  for (const { plan } of reverts) await files?.checkRestored(plan);
  const writes = reverts.map(({ plan }): Write => ({ plan, encoding: WHOLE_ROW_JSON }));
  const terms = { dryRun: preferences.tx === 'rollback', origin: context.origin };
  const results =
    writes.length === 0
      ? []
      : await engine.write(writes, terms).catch((error) => {
          throw explained(error, reverts[(error as ApiError).request ?? 0]!);
        });
  context.done('engine');
  return undoAnswer(changes, conflicts, preferences, results as readonly WriteResult[]);
}

/** A row is not as expected: another write changed it after the log was read, or it cannot be deleted. */
class UnexpectedRow extends Error {
  constructor(readonly revert: PlannedRevert) {
    super('a row is not as expected');
  }
}

function explained(error: unknown, revert: PlannedRevert): unknown {
  if (!(error instanceof ApiError)) return error;
  const { plan, collection } = revert;
  if (error.code === 'CAT412') return new UnexpectedRow(revert);
  // The row is as expected, so it is a rule of the role that leaves it out.
  if (error.code === 'CAT404') return rowDenied(collection.name);
  return redactError(error.with({ request: undefined, index: undefined }), plan, collection);
}

/** A rule of the role leaves out a row to delete, or other rows refer to it. */
function blocked({ plan, collection: { name } }: PlannedRevert, { access }: RequestContext): ApiError {
  if (plan.kind !== 'delete') return stillChanging();
  if (access?.permissions !== undefined) return rowDenied(name);
  return new ApiError('23503', `other rows refer to a row of ${name} that the undo would delete`, {
    details: 'Nothing was changed.',
    hint: 'Also undo the changes by which they came to refer to it.',
  });
}

function checkFiltersOnly({ conditions, ...others }: Query): void {
  const { conditions: _, ...none } = EMPTY_QUERY;
  const isPlain = Object.entries(others).every(([name, value]) => none[name as keyof typeof none] === value);
  if (isPlain && conditions.length > 0) return;
  throw new ApiError('21000', isPlain ? 'an undo needs a filter' : 'an undo takes filters alone', {
    details: 'Nothing was changed.',
    hint: 'Name the changes to revert, as in ?seq=eq.1042 or ?request_id=eq.… Select, order and limit do not apply.',
  });
}

/** Names the rows; at most this many. */
const NAMED_ROWS = 1_000;

function conflicting(conflicts: readonly Conflict[]): ApiError {
  return new ApiError('55000', `later changes touched ${conflicts.length} of the rows`, {
    candidates: conflicts.slice(0, NAMED_ROWS).map(({ collection, key, seq }) => ({ collection, key, seq })),
    hint: 'Also undo the later changes, or send Prefer: conflicts=skip to leave these rows as they are.',
  });
}

function stillChanging(): ApiError {
  return new ApiError('55000', 'other writes change the rows at the same time', {
    details: 'Nothing was changed.',
    hint: 'Read the changes of the rows, decide, and try again.',
  });
}
