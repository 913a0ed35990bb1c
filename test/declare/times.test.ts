/** Dates, times and uuids in a declaration: their rules, and defaults that are computed for each row. */
import { expect, test } from 'bun:test';
import { declaredField, mistakesIn, withFields } from '../support/processes/declarations.ts';

test('now is a default for dates and times, uuid for uuids', async () => {
  for (const type of ['date', 'time', 'timestamp', 'timestamptz']) {
    const field = await declaredField(`a: { type: ${type}, default: now, onUpdate: now }`);
    expect(field).toEqual({ name: 'a', type, default: 'now', onUpdate: 'now' });
  }
  expect(await declaredField('a: { type: uuid, default: uuid }')).toEqual({ name: 'a', type: 'uuid', default: 'uuid' });
  expect(
    await mistakesIn(withFields('id: int4', 'a: { type: uuid, default: now }', 'b: { type: date, default: uuid }')),
  ).toEqual([
    '5:33 things.a: default now is for dates and times, not uuid',
    '6:33 things.b: default uuid is for fields of type uuid, not date',
  ]);
});

test('a default that depends on the current day is rejected', async () => {
  expect(await mistakesIn(withFields('id: int4', 'a: { type: date, default: tomorrow }'))).toEqual([
    '5:33 things.a: default cannot be a word such as tomorrow, which means another moment each time',
  ]);
});

test('defaults and limits must be values of the type, and are compared as such', async () => {
  const mistakes = await mistakesIn(
    withFields(
      'id: int4',
      'a: { type: date, default: 2024-02-30 }',
      'b: { type: date, minimum: 2024-03-01, maximum: 2024-02-29 }',
      "c: { type: timestamptz, minimum: '2024-01-01T00:00:00+02:00', maximum: '2023-12-31T22:00:00Z' }",
      "d: { type: timestamptz, minimum: '2024-01-01T00:00:00-02:00', maximum: '2024-01-01T01:00:00Z' }",
      'e: { type: uuid, default: none }',
      'f: { type: date, default: 1999-12-31, minimum: 2000-01-01 }',
      'g: { type: uuid, minimum: 00000000-0000-0000-0000-000000000000 }',
    ),
  );
  expect(mistakes.map((each) => each.split(' ').slice(0, 4).join(' '))).toEqual([
    '5:33 things.a: default is',
    '6:24 things.b: minimum 2024-03-01',
    '8:31 things.d: minimum 2024-01-01T00:00:00-02:00',
    '9:33 things.e: default is',
    '10:33 things.f: default is',
    '11:24 things.g: minimum is',
  ]);
});

test('an array field may have a list as its default', async () => {
  expect(await declaredField("a: { type: 'text[]', default: [x, y] }")).toHaveProperty('default', ['x', 'y']);
  expect(await declaredField("a: { type: 'int8[]', default: [9007199254740993] }")).toHaveProperty('default', [
    '9007199254740993',
  ]);
  expect(await mistakesIn(withFields('id: int4', "a: { type: 'int4[]', default: [x] }"))).toHaveLength(1);
  expect(await mistakesIn(withFields("id: 'int4[]'"))).toEqual([
    '2:3 things: the key field id is int4[], which a key cannot be',
  ]);
});
