/** Undo from request to answer: the filter selects changes of the log, and their inverses are written. */
import { ApiError } from '../base/errors.ts';
import { mayWriteAny } from '../collection/access/views.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { EMPTY_QUERY, parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Engine } from '../engine/engine.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import type { RequestContext } from '../response/request-context.ts';
import { type UndoProgress, undoAnswer, undoStream } from '../response/undo.ts';
import { undoInSteps } from './undo-steps.ts';

/** `seen` is the catalogue as the caller sees it. */
export async function undo(
  engine: Engine,
  files: Files | undefined,
  seen: Catalogue,
  context: RequestContext,
): Promise<Answer> {
  const { call } = context;
  const { preferences, query: text } = call;
  const isStreamed = call.accept?.includes('application/x-ndjson') === true;
  const query = parseQuery(text);
  checkFiltersOnly(query);
  // Before anything is read: a role that may write nothing can undo nothing.
  if (!mayWriteAny(seen)) {
    throw new ApiError('42501', 'permission denied for undo', { hint: 'Your role may not change any rows.' });
  }
  context.done('parse');
  const filter = { text, query };
  const steps = undoInSteps({ engine, files, seen, context, filter, preferences, isStreamed });
  const progress: UndoProgress[] = [];
  // The first step runs before the answer begins, so that its error has a status.
  for (let next = await steps.next(); next.done !== true; next = await steps.next()) {
    progress.push(preferences.return === 'representation' ? next.value : { ...next.value, changes: [] });
    if (isStreamed && progress.length === 2) return undoStream(progress, steps, preferences);
    // Nobody waits for the answer any more. The next request continues.
    if (call.isAborted) await steps.return(undefined);
  }
  context.done('transaction');
  return isStreamed ? undoStream(progress, steps, preferences) : undoAnswer(progress, preferences);
}

function checkFiltersOnly({ conditions, ...others }: Query): void {
  const { conditions: _, ...none } = EMPTY_QUERY;
  const isPlain = Object.entries(others).every(([name, value]) => none[name as keyof typeof none] === value);
  if (isPlain && conditions.length > 0) return;
  throw new ApiError('21000', isPlain ? 'an undo needs a filter' : 'an undo takes filters alone', {
    nothingChanged: true,
    hint: 'Name the changes to revert, as in ?seq=eq.1042 or ?request_id=eq.… Select, order and limit do not apply.',
  });
}
