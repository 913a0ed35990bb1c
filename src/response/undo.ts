/** The answer to an undo: how many changes it reverted, which rows it left as they are, and the reverting changes. */
import { ApiError } from '../base/errors.ts';
import type { Preferences } from '../dialect/prefer.ts';
import { type Answer, streamOf } from '../http/answer.ts';
import { positionHeader } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { JSON_MEDIA, NDJSON_MEDIA } from '../http/negotiate.ts';
import { INVERSE, type LoggedChange } from '../plan/write/undo.ts';
import { preferenceApplied } from './headers.ts';
import { problemOf } from './problem.ts';

/** Short lines that may wait: an undo that holds up others does not wait for a slow client. */
const UNREAD_LINES = 1_000;

/** A row that a later change touched. */
export interface Conflict {
  readonly collection: string;
  readonly key: string;
  /** The last such change. */
  readonly seq: number;
}

/** The state of an undo, and what is new since the state before. */
export interface UndoProgress {
  /** The number of changes reverted so far, and to be reverted in all. */
  readonly undone: number;
  readonly total: number;
  /** The number of changes that another undo reverted, before this one or meanwhile. */
  readonly undoneBefore?: number;
  readonly skipped: readonly Conflict[];
  readonly changes: readonly LoggedChange[];
  readonly position?: string | undefined;
}

/** The answer after the last step. */
export function undoAnswer(progress: readonly UndoProgress[], preferences: Preferences): Answer {
  const { undone } = progress.at(-1)!;
  const position = progress.findLast((each) => each.position !== undefined)?.position;
  const skipped = progress.flatMap((each) => each.skipped);
  const changes = progress.flatMap((each) => each.changes);
  return {
    status: 200,
    headers: {
      ...headersOf(JSON_MEDIA.contentType, preferences),
      ...positionHeader(position),
    },
    rows: undone,
    body: JSON.stringify({ undone, ...before(...progress), skipped, ...shown(changes, preferences) }),
  };
}

/** One line of JSON for each step, as it happens. The client ends the undo by closing the connection. */
export function undoStream(
  first: readonly UndoProgress[],
  rest: AsyncGenerator<UndoProgress>,
  preferences: Preferences,
): Answer {
  const encoder = new TextEncoder();
  const line = (value: object) => encoder.encode(`${JSON.stringify(value)}\n`);
  const lineOf = (progress: UndoProgress) => {
    const { undone, total, skipped, changes, position } = progress;
    return line({ undone, total, ...before(progress), skipped, position, ...shown(changes, preferences) });
  };
  const lines = (async function* () {
    yield* first.map(lineOf);
    try {
      for await (const progress of rest) yield lineOf(progress);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      yield line(problemOf(error));
    }
  })();
  const highWaterMark = preferences.return === 'representation' ? 1 : UNREAD_LINES;
  // Unless the rest was begun, the lines end without it.
  const cancel = () => lines.return(undefined).then(() => rest.return(undefined));
  const body = streamOf(() => lines.next(), { cancel, highWaterMark });
  return { status: 200, headers: headersOf(NDJSON_MEDIA.contentType, preferences), body, isLive: true };
}

function headersOf(contentType: string, preferences: Preferences) {
  return { ...CORS_HEADERS, 'content-type': contentType, ...preferenceApplied('undo', preferences) };
}

function before(...progress: readonly UndoProgress[]) {
  const count = progress.reduce((sum, { undoneBefore = 0 }) => sum + undoneBefore, 0);
  return count === 0 ? {} : { undone_before: count };
}

function shown(changes: readonly LoggedChange[], preferences: Preferences) {
  if (preferences.return !== 'representation') return {};
  const inverse = ({ seq, collection, key, kind, before, after }: LoggedChange) => {
    return { undoes: seq, collection: collection.name, key, kind: INVERSE[kind], before: after, after: before };
  };
  return { changes: changes.map(inverse) };
}
