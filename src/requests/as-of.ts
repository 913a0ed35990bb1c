/** `Prefer: as-of=<time>`: the position in the log of changes that a read is carried out at. */
import { ApiError } from '../base/errors.ts';
import { builtIn } from '../collection/types/index.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import { changingCollections } from '../plan/access/named-fields.ts';
import { atMoment } from '../plan/at-moment.ts';
import { checkAsOf } from '../plan/read/as-of.ts';
import type { ReadPlan } from '../plan/types.ts';
import { andThen, type RequestContext } from '../response/request-context.ts';

const MOMENT = builtIn('timestamptz');

/** Undefined for the present. Rejects a time before the log of one of the plan's collections begins. */
export function positionOf(
  engine: Pick<Engine, 'log'>,
  plan: ReadPlan,
  preferences: Preferences,
  { access }: RequestContext,
): MaybePromise<number | undefined> {
  const text = preferences['as-of'];
  if (text === undefined) return undefined;
  const { log } = engine;
  const time = readMoment(text);
  if (log === undefined) throw notLogged();
  if (plan.log !== undefined) return log.positionAt(time);
  return andThen(log.oldest(changingCollections(plan)), (oldest) => {
    if (oldest === undefined) throw notLogged(plan.from);
    checkAsOf(plan, access?.permissions);
    if (time < oldest.at) throw beforeLog(text, oldest.at);
    return andThen(log.positionAt(time), (seq) => Math.max(seq, oldest.seq));
  });
}

function readMoment(text: string): string {
  try {
    return String(MOMENT.read(text));
  } catch (error) {
    const hint = `Prefer: as-of takes a time, such as 2026-11-17 or 2026-11-17T09:30:00Z.`;
    throw error instanceof ApiError ? error.with({ hint }) : error;
  }
}

/** Rows of an earlier time are visible if they were then. The log is read as of now. */
export function asOfMoment(plan: ReadPlan, preferences: Preferences): ReadPlan {
  const text = preferences['as-of'];
  if (text === undefined || plan.log !== undefined) return plan;
  return atMoment(plan, Math.min(Date.parse(readMoment(text)) || Number.POSITIVE_INFINITY, Date.now()));
}

function beforeLog(text: string, oldest: string): ApiError {
  return new ApiError('CAT410', `the history does not reach back to ${text}`, {
    details: `It begins at ${oldest}.`,
    hint: `Use a time from ${oldest} on. --history-days sets how long changes are kept.`,
  });
}
