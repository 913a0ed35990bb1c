/** Sends the planned rows as a dry run (`Prefer: tx=rollback`), and collects the rows that the service rejects. */

import { storeJson } from '../../../collection/types/type.ts';
import { fieldNamed, listPath } from '../shared/api/collection.ts';
import { ask, type Problem, problemOf } from '../shared/api/http.ts';
import { refused } from './explanations.ts';
import { bodyOf, columnsOf } from './requests.ts';
import type { Fault, RowPlan } from './row-outcome.ts';

export const ROWS_PER_REQUEST = 1_000;
/**
 * Attempts per chunk, each without the rows rejected before. Rows left after that wait until the person fixes the
 * rejected ones.
 */
const MAX_TRIES = 100;

type Sent = Extract<RowPlan, { kind: 'new' | 'change' | 'exists' }>;

/** Caches the results, so that a later check only sends rows that changed. */
export class DryRun {
  private readonly known = new Map<string, Fault | undefined>();

  /** Returns the results with every rejected row marked as bad. */
  async of(rowPlans: readonly RowPlan[], progress: (done: number) => void): Promise<readonly RowPlan[]> {
    const result = [...rowPlans];
    let done = 0;
    for (const kind of ['new', 'change'] as const) {
      const places = rowPlans.flatMap((rowPlan, at) => (groupOf(rowPlan) === kind ? [at] : []));
      for (let start = 0; start < places.length; start += ROWS_PER_REQUEST) {
        const part = places.slice(start, start + ROWS_PER_REQUEST);
        await this.tryPart(part, kind, rowPlans);
        for (const at of part) {
          const fault = this.known.get(textOf(rowPlans[at] as Sent));
          if (fault !== undefined) result[at] = { kind: 'bad', faults: [fault] };
        }
        done += part.length;
        progress(done);
      }
    }
    return result;
  }

  private async tryPart(
    places: readonly number[],
    kind: 'new' | 'change',
    rowPlans: readonly RowPlan[],
  ): Promise<void> {
    let left = places.map((at) => rowPlans[at] as Sent).filter((rowPlan) => !this.known.has(textOf(rowPlan)));
    for (let tries = 0; left.length > 0; tries++) {
      const problem = await tryAll(left, kind);
      if (problem === undefined) {
        for (const rowPlan of left) this.known.set(textOf(rowPlan), undefined);
        return;
      }
      const place = placeIn(problem, left);
      if (place === undefined || tries === MAX_TRIES) {
        const message =
          place === undefined ? refused(problem, undefined) : 'Not checked yet. Fix the other rows first.';
        for (const rowPlan of left) this.known.set(textOf(rowPlan), { message });
        return;
      }
      const { field } = place;
      const fault = { ...(field === undefined ? {} : { field }), message: refused(problem, field) };
      for (const rowPlan of place.rowPlans) this.known.set(textOf(rowPlan), fault);
      left = left.filter((rowPlan) => !place.rowPlans.includes(rowPlan));
    }
  }
}

function groupOf({ kind }: RowPlan): 'new' | 'change' | undefined {
  return kind === 'new' ? 'new' : kind === 'change' || kind === 'exists' ? 'change' : undefined;
}

function textOf(rowPlan: Sent): string {
  return JSON.stringify(bodyOf(rowPlan));
}

async function tryAll(rowPlans: readonly Sent[], kind: 'new' | 'change'): Promise<Problem | undefined> {
  const body = rowPlans.map(bodyOf);
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
function placeIn(
  { details }: Problem,
  sent: readonly Sent[],
): { rowPlans: readonly Sent[]; field?: string } | undefined {
  const [, number, named] = PLACE.exec(details ?? '') ?? [];
  const [, column, value] = KEY.exec(details ?? '') ?? [];
  const field = named ?? column;
  const about = field === undefined ? {} : { field };
  const row = number === undefined ? (sent.length === 1 ? sent[0] : undefined) : sent[Number(number) - 1];
  if (row !== undefined) return { rowPlans: [row], ...about };
  const meant = column === undefined ? undefined : fieldNamed(column);
  if (meant === undefined || value === undefined) return undefined;
  const rowPlans = sent.filter((rowPlan) => {
    const json = (bodyOf(rowPlan) as Record<string, unknown>)[meant.name];
    return json !== undefined && json !== null && meant.type.print(storeJson(meant.type, json)) === value;
  });
  return rowPlans.length === 0 ? undefined : { rowPlans, ...about };
}
