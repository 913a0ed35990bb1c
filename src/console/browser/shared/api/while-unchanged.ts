/**
 * Sends changes only to rows that are still as they were shown. The expected values are the filter that all rows must
 * pass (`If-Match: *`), so that no change by others is overwritten. A rejected list is sent again without the rows that
 * others changed.
 */
import { key } from './collection.ts';
import { messageOf, problemOf } from './http.ts';

export interface Shown<Of> {
  readonly of: Of;
  /** The key as text. */
  readonly id: string;
  /** The shown values, as conditions for `and`. */
  readonly conditions: readonly string[];
}

/** Conditions and rows per request and length of its URL; below the limits of the service and of common proxies. */
const MAX_CONDITIONS = 450;
const MAX_ROWS = 500;
const MAX_URL = 6_000;

interface Sending<Of> {
  /** Stores a list under a filter. */
  readonly send: (part: readonly Of[], filter: string) => Promise<void>;
  /** Returns the rows that are still as they were shown. */
  readonly unchanged: (part: readonly Shown<Of>[]) => Promise<readonly Shown<Of>[]>;
}

/** Resolves to the rows that others changed and that were left out. */
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
      // If all rows look unchanged to us, drop the row that the service named.
      left = still.length < left.length ? still : left.toSpliced(placeIn(error), 1);
    }
  }
  return part.filter((row) => !left.includes(row)).map(({ of }) => of);
}

function placeIn(error: unknown): number {
  const [, row = '1'] = /row (\d+):/.exec(problemOf(error)?.details ?? messageOf(error)) ?? [];
  return Number(row) - 1;
}

/** Splits rows into chunks that the filter of one request can name. */
export function* chunksOf<Of>(rows: readonly Shown<Of>[]): Generator<readonly Shown<Of>[]> {
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
