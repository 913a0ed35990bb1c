/** The log of changes as the console shows it: requests, days, keys and changed fields. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { joinParts, logKey, rowOfLogKey } from '../../src/console/browser/api/changes.ts';
import { parseEvents } from '../../src/console/browser/api/feed.ts';
import { dayFilters, dayOf, nextDay } from '../../src/console/browser/fields/dates.ts';
import { joinIds, moved, splitIds } from '../../src/console/browser/files/stored-files.tsx';
import { changedFields } from '../../src/console/browser/history/change-list.tsx';

const prices = declareCatalogue({
  collections: [
    {
      name: 'prices',
      key: ['day', 'currency'],
      fields: [
        { name: 'day', type: 'date' },
        { name: 'currency', type: 'text' },
        { name: 'amount', type: 'decimal(10,2)' },
        { name: 'changed_at', type: 'timestamptz', onUpdate: 'now' },
      ],
    },
  ],
}).collections.get('prices')!;

test('the parts of a request are one entry, and the newest request comes first', () => {
  const part = (request_id: string | null, kind: 'insert' | 'update', rows: number, seq: number) => ({
    request_id,
    actor: 'ann',
    collection: 'prices',
    kind,
    rows,
    at: `2026-11-17T10:00:0${seq}Z`,
    seq,
  });
  const requests = joinParts([part('a', 'insert', 2, 1), part('b', 'update', 1, 3), part('a', 'update', 5, 2)]);
  expect(requests.map(({ id, seq, at }) => [id, seq, at])).toEqual([
    ['b', 3, '2026-11-17T10:00:03Z'],
    ['a', 2, '2026-11-17T10:00:02Z'],
  ]);
  expect(requests[1]!.parts.map(({ kind, count }) => [kind, count])).toEqual([
    ['insert', 2],
    ['update', 5],
  ]);
});

test('a day begins and ends at midnight of the reader, also across months', () => {
  expect(nextDay('2026-03-01', -1)).toBe('2026-02-28');
  expect(dayOf(new Date(2026, 10, 7))).toBe('2026-11-07');
  const [[, from], [, to]] = dayFilters('2026-11-17') as unknown as [[string, string], [string, string]];
  expect(from).toBe(`gte.${new Date(2026, 10, 17).toISOString()}`);
  expect(to).toBe(`lt.${new Date(2026, 10, 18).toISOString()}`);
});

test('a key of several fields is a list in the log', () => {
  expect(logKey('7')).toBe('7');
  expect(logKey('2026-01-02,a%2Cb')).toBe('["2026-01-02","a,b"]');
  expect(rowOfLogKey(prices, '["2026-01-02","EUR"]')).toEqual({ day: '2026-01-02', currency: 'EUR' });
});

test('a change shows the fields that differ, without the times of the service', () => {
  const change = { before: { amount: 1, changed_at: 'a' }, after: { amount: 2, changed_at: 'b' } };
  expect(changedFields(prices, change).map(({ name }) => name)).toEqual(['amount']);
  const inserted = { before: null, after: { day: '2026-01-02', currency: 'EUR', amount: null } };
  expect(changedFields(prices, inserted).map(({ name }) => name)).toEqual(['day', 'currency']);
});

test('a list of files is moved, joined and split', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b'], 0, 2)).toEqual(['a', 'b']);
  expect(splitIds(joinIds(['a', 'b']))).toEqual(['a', 'b']);
  expect(splitIds(' ')).toEqual([]);
});

test('a feed is parsed event by event, whatever the parts in which it arrives', () => {
  const seen: unknown[] = [];
  const rest = parseEvents('retry: 2000\n\nevent: update\nid: 5\ndata: {"id":1}\n\n:\n\nevent: del', (event, id) =>
    seen.push([event.kind, event.row, id]),
  );
  expect(seen).toEqual([['update', { id: 1 }, '5']]);
  expect(rest).toBe('event: del');
});
