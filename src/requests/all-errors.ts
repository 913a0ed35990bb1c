/** `Prefer: errors=all`: a rejected body is checked completely, and the response lists every error. */
import type { ErrorList } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import type { Engine, WriteOptions, WriteResult } from '../engine/engine.ts';
import { redactError } from '../response/redact-errors.ts';
import { execute, type PlannedWrite } from './planned-write.ts';

/** `errors` has the errors of planning. Without any, the write runs first: it alone decides whether it succeeds. */
export async function executeOrList(
  engine: Engine,
  planned: PlannedWrite,
  terms: WriteOptions,
  errors: ErrorList,
): Promise<readonly WriteResult[]> {
  const failure = errors.total === 0 ? await attemptWrite(engine, planned, terms) : undefined;
  if (failure !== undefined && !(failure instanceof ApiError)) return failure;
  const { plan, collection } = planned;
  await engine.problems(plan, (error) => {
    // A caller who does not see every row learns one problem per row, as from a request with this row alone.
    const rows = collection.view === undefined ? errors.unread : errors.indexes;
    if (!rows.has(error.index!)) errors.report(redactError(error, plan, collection) as ApiError);
  });
  // Only the write knows some errors, such as those of triggers.
  const isListed = failure?.index === undefined ? errors.total > 0 : errors.indexes.has(failure.index);
  if (failure !== undefined && !isListed) errors.report(failure);
  throw errors.toError();
}

/** The result, or the error if it is about rows or fields of the body. */
async function attemptWrite(
  engine: Engine,
  planned: PlannedWrite,
  terms: WriteOptions,
): Promise<readonly WriteResult[] | ApiError> {
  try {
    return await execute(engine, [planned], terms);
  } catch (error) {
    if (error instanceof ApiError && isAboutRows(error)) return error;
    throw error;
  }
}

function isAboutRows({ code, index, field }: ApiError): boolean {
  return index !== undefined || field !== undefined || code === '42501' || code.startsWith('23');
}
