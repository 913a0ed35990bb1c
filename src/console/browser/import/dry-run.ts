/** Sends the planned rows as a dry run (`Prefer: tx=rollback`), and collects the rows that the service rejects. */

import { storeJson } from '../../../collection/types/type.ts';
import { fieldNamed, listPath } from '../shared/collection.ts';
import { ask, type Problem, problemOf } from '../shared/http.ts';
import type { Fate, Fault } from './fate.ts';
import { bodyOf, columnsOf } from './requests.ts';
import { refused } from './words.ts';

export const ROWS_PER_REQUEST = 1_000;
/**
 * Attempts per chunk, each without the rows rejected before. Rows left after that wait until the person fixes the
 * rejected ones.
 */
const MAX_TRIES = 100;

type Sent = Extract<Fate, { kind: 'new' | 'change' | 'exists' }>;

/** Caches the results, so that a later check only sends rows that changed. */
export class DryRun {
  private readonly known = new Map<string, Fault | undefined>();

  /** Returns the results with every rejected row marked as bad. */
  async of(fates: readonly Fate[], progress: (done: number) => void): Promise<readonly Fate[]> {
    const result = [...fates];
    let done = 0;
    for (const kind of ['new', 'change'] as const) {
      const places = fates.flatMap((fate, at) => (groupOf(fate) === kind ? [at] : []));
      for (let start = 0; start < places.length; start += ROWS_PER_REQUEST) {
        const part = places.slice(start, start + ROWS_PER_REQUEST);
        await this.tryPart(part, kind, fates);
        for (const at of part) {
          const fault = this.known.get(textOf(fates[at] as Sent));
          if (fault !== undefined) result[at] = { kind: 'bad', faults: [fault] };
        }
        done += part.length;
        progress(done);
      }
    }
    return result;
  }

  private async tryPart(places: readonly number[], kind: 'new' | 'change', fates: readonly Fate[]): Promise<void> {
    let left = places.map((at) => fates[at] as Sent).filter((fate) => !this.known.has(textOf(fate)));
    for (let tries = 0; left.length > 0; tries++) {
      const problem = await tryAll(left, kind);
      if (problem === undefined) {
        for (const fate of left) this.known.set(textOf(fate), undefined);
        return;
      }
      const place = placeIn(problem, left);
      if (place === undefined || tries === MAX_TRIES) {
        const message =
          place === undefined ? refused(problem, undefined) : 'Not checked yet. Fix the other rows first.';
        for (const fate of left) this.known.set(textOf(fate), { message });
        return;
      }
      const { field } = place;
      const fault = { ...(field === undefined ? {} : { field }), message: refused(problem, field) };
      for (const fate of place.fates) this.known.set(textOf(fate), fault);
      left = left.filter((fate) => !place.fates.includes(fate));
    }
  }
}

function groupOf({ kind }: Fate): 'new' | 'change' | undefined {
  return kind === 'new' ? 'new' : kind === 'change' || kind === 'exists' ? 'change' : undefined;
}

function textOf(fate: Sent): string {
  return JSON.stringify(bodyOf(fate));
}

async function tryAll(fates: readonly Sent[], kind: 'new' | 'change'): Promise<Problem | undefined> {
  const body = fates.map(bodyOf);
  try {
    await ask(kind === 'new' ? `${listPath}?columns=${columnsOf(body)}` : listPath, {
      method: kind === 'new' ? 'POST' : 'PATCH',
      headers: { prefer: `return=minimal,tx=rollback${kind === 'new' ? ',missing=default' : ''}` },
      body,
    });
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code === undefined) throw error;
    return problem;
  }
}

const PLACE = /^(?:row (\d+))?(?:, )?(?:field (\w+))?: /;
const KEY = /Key \((\w+)\)=\(([\s\S]*)\)/;

/**
 * Finds the row in `row 3, field unit_price: …` or `Key (category_id)=(99) …`. A body with a single row has no number.
 */
function placeIn({ details }: Problem, sent: readonly Sent[]): { fates: readonly Sent[]; field?: string } | undefined {
  const [, number, named] = PLACE.exec(details ?? '') ?? [];
  const [, column, value] = KEY.exec(details ?? '') ?? [];
  const field = named ?? column;
  const about = field === undefined ? {} : { field };
  const row = number === undefined ? (sent.length === 1 ? sent[0] : undefined) : sent[Number(number) - 1];
  if (row !== undefined) return { fates: [row], ...about };
  const meant = column === undefined ? undefined : fieldNamed(column);
  if (meant === undefined || value === undefined) return undefined;
  const fates = sent.filter((fate) => {
    const json = (bodyOf(fate) as Record<string, unknown>)[meant.name];
    return json !== undefined && json !== null && meant.type.print(storeJson(meant.type, json)) === value;
  });
  return fates.length === 0 ? undefined : { fates, ...about };
}
