/**
 * Lists of changes to rows that are still as they were shown. What was shown goes with each list, as the filter that all of its rows must
 * pass (`If-Match: *`): so nobody's change is overwritten that came in between. A list that is refused is sent again without the rows
 * that others were quicker with.
 */
import { key } from './collection.ts';
import { messageOf, problemOf } from './http.ts';

export interface Shown<Of> {
  readonly of: Of;
  /** Its key, as text. */
  readonly id: string;
  /** What was shown, as conditions that `and` reads. */
  readonly conditions: readonly string[];
}

/** Conditions and keys that one request may name, and the length of its URL: below what the service and any proxy take. */
const MAX_CONDITIONS = 450;
const MAX_ROWS = 500;
const MAX_URL = 6_000;

interface Sending<Of> {
  /** Stores a list, under a filter. */
  readonly send: (part: readonly Of[], filter: string) => Promise<void>;
  /** Those of which all is still as it was shown. */
  readonly unchanged: (part: readonly Shown<Of>[]) => Promise<readonly Shown<Of>[]>;
}

/** Resolves to the rows that were left, since others have changed them. */
export async function sendUnchanged<Of>(
  part: readonly Shown<Of>[],
  { send, unchanged }: Sending<Of>,
): Promise<readonly Of[]> {
  let left = part;
  while (left.length > 0) {
    try {
      await send(
        left.map(({ of }) => of),
        filterFor(left),
      );
      break;
    } catch (error) {
      if (problemOf(error)?.code !== 'CAT412') throw error;
      const still = await unchanged(left);
      // A row that is the same to us, and not to the service, is the one that it named.
      left = still.length < left.length ? still : left.toSpliced(placeIn(error), 1);
    }
  }
  return part.filter((row) => !left.includes(row)).map(({ of }) => of);
}

function placeIn(error: unknown): number {
  const [, row = '1'] = /row (\d+):/.exec(problemOf(error)?.details ?? messageOf(error)) ?? [];
  return Number(row) - 1;
}

/** So many rows at a time as the filter of one request can name. */
export function* partsOf<Of>(rows: readonly Shown<Of>[]): Generator<readonly Shown<Of>[]> {
  let part: Shown<Of>[] = [];
  let [length, conditions] = [0, 0];
  for (const [shown, alike] of Map.groupBy(rows, shownIn)) {
    const [head, terms] = [
      encodeURIComponent(`and(${key.name}.in.(),${shown}),`).length,
      alike[0]!.conditions.length + 2,
    ];
    let isNamed = false;
    for (const row of alike) {
      const own = encodeURIComponent(`${quoted(row.id)},`).length;
      const isFull =
        length + own + (isNamed ? 0 : head) > MAX_URL ||
        conditions + (isNamed ? 0 : terms) > MAX_CONDITIONS ||
        part.length === MAX_ROWS;
      if (isFull && part.length > 0) {
        yield part;
        part = [];
        [length, conditions, isNamed] = [0, 0, false];
      }
      length += own + (isNamed ? 0 : head);
      conditions += isNamed ? 0 : terms;
      isNamed = true;
      part.push(row);
    }
  }
  if (part.length > 0) yield part;
}

const shownIn = ({ conditions }: Shown<unknown>): string => conditions.join(',');
const quoted = (id: string): string => `"${id.replaceAll(/["\\]/g, '\\$&')}"`;

function filterFor(rows: readonly Shown<unknown>[]): string {
  const terms = [...Map.groupBy(rows, shownIn)].map(
    ([shown, alike]) => `and(${key.name}.in.(${alike.map(({ id }) => quoted(id)).join(',')}),${shown})`,
  );
  return `or=(${encodeURIComponent(terms.join(','))})`;
}
