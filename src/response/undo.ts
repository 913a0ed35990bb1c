/** The answer to an undo: how many changes it reverted, which rows it left as they are, and the reverting changes. */
import type { Preferences } from '../dialect/prefer.ts';
import type { WriteResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { JSON_MEDIA } from '../http/negotiate.ts';
import { positionHeader } from '../http/position.ts';
import type { LoggedChange } from '../plan/write/undo.ts';
import { preferenceApplied } from './applied.ts';

/** A row that a later change touched. */
export interface Conflict {
  readonly collection: string;
  readonly key: string;
  /** The last such change. */
  readonly seq: number;
}

const INVERSE = { insert: 'delete', update: 'update', delete: 'insert' } as const;

export function undoAnswer(
  changes: readonly LoggedChange[],
  skipped: readonly Conflict[],
  preferences: Preferences,
  results: readonly WriteResult[],
): Answer {
  const [position] = results.flatMap((result) => result.position ?? []);
  const shown = preferences.return === 'representation' ? { changes: changes.map(inverse) } : {};
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      'content-type': JSON_MEDIA.contentType,
      ...preferenceApplied('undo', preferences),
      ...positionHeader(position),
    },
    rows: changes.length,
    body: JSON.stringify({ undone: changes.length, skipped, ...shown }),
  };
}

function inverse({ seq, collection, key, kind, before, after }: LoggedChange) {
  return { undoes: seq, collection: collection.name, key, kind: INVERSE[kind], before: after, after: before };
}
