/**
 * Custom field types: a type is one value of one interface. Adding it needs no other change, and it supports everything
 * that built-in types support.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addType } from '../../../src/collection/types/index.ts';
import { rejectSyntax } from '../../../src/collection/types/reject.ts';
import { defineType, PLAIN_TEXT } from '../../../src/collection/types/type.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

/** The MAC address of a network card, `macaddr` in PostgreSQL. */
const macaddr = defineType({
  name: 'macaddr',
  read(text) {
    const digits = text.trim().toLowerCase().replaceAll(/[:.-]/g, '');
    if (!/^[0-9a-f]{12}$/.test(digits)) return rejectSyntax('macaddr', text);
    return digits.match(/../g)!.join(':');
  },
  sqlite: PLAIN_TEXT,
  postgres: { name: 'macaddr', plain: (sql) => `(${sql})::text` },
});

// Unregisters the type, because other tests share this process and check the list of types.
let takeAway: () => void;
beforeAll(() => {
  takeAway = addType(macaddr);
});
afterAll(() => takeAway());

// An in-memory database, because the threads of a database file know only the built-in types.
describe.each(['SQLite in memory', 'PostgreSQL'])('a custom field type on %s', (engine) => {
  test('can be parsed, stored, printed, compared, sorted, grouped, listed and cast like a built-in type', async () => {
    const things = await openDeclared(engine, thingsOf({ card: 'macaddr', cards: 'macaddr[]' }));
    const answer = async (path: string, init?: RequestInit) => (await things.fetch(path, init)).text();
    const rows = [
      { id: 1, card: '08:00:2B:01:02:03', cards: ['0800.2b01.0204', null] },
      { id: 2, card: '0800-2b01-0202', cards: [] },
    ];
    expect((await things.fetch('/things', sendJson('POST', rows))).status).toBe(201);
    expect(await answer('/things?id=eq.1')).toBe(
      '[{"id":1,"card":"08:00:2b:01:02:03","cards":["08:00:2b:01:02:04",null]}]',
    );
    expect(await answer('/things?select=id&card=eq.08002B010203')).toBe('[{"id":1}]');
    expect(await answer('/things?select=id&card=in.(08002B010203,08002B010202)&order=card')).toBe(
      '[{"id":2},{"id":1}]',
    );
    expect(await answer('/things?select=id&cards=cs.{08002B010204}')).toBe('[{"id":1}]');
    expect(await answer('/things?select=card,count()&order=card.desc')).toBe(
      '[{"card":"08:00:2b:01:02:03","count":1},{"card":"08:00:2b:01:02:02","count":1}]',
    );
    expect(await answer('/things?select=card::text,v:cards::text&id=eq.1')).toBe(
      '[{"card":"08:00:2b:01:02:03","v":"{08:00:2b:01:02:04,NULL}"}]',
    );
    expect(await answer('/things?select=card,cards&id=eq.1', { headers: { accept: 'text/csv' } })).toBe(
      'card,cards\n08:00:2b:01:02:03,"{08:00:2b:01:02:04,NULL}"\n',
    );
    const csv = send('POST', 'text/csv', 'id,card,cards\n3,08002b010205,"{08002b010206}"', {
      prefer: 'return=representation',
    });
    expect(await answer('/things', csv)).toBe('[{"id":3,"card":"08:00:2b:01:02:05","cards":["08:00:2b:01:02:06"]}]');
    await expectRefusal(await things.fetch('/things?card=eq.nope'), 400, '22P02');
    await expectRefusal(await things.fetch('/things?card=like.0*'), 400, '42883');
    await expectRefusal(await things.fetch('/things?select=card::int4'), 400, '42846');
    await things.close();
  });
});
