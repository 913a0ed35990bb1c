/** Internal errors: the service returns 500 and logs the stack, also during a write. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addType } from '../../../src/collection/types/index.ts';
import { defineType, PLAIN_TEXT } from '../../../src/collection/types/type.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

/** A defective type: it parses values, but the engine cannot send them to the database. */
const broken = defineType({
  name: 'broken',
  read: (text) => text,
  json: () => {
    throw new TypeError('planted fault');
  },
  sqlite: {
    ...PLAIN_TEXT,
    bind: () => {
      throw new TypeError('planted fault');
    },
  },
  postgres: {
    name: 'text',
    plain: (sql) => sql,
    bind: () => {
      throw new TypeError('planted fault');
    },
  },
});

let removeType: () => void;
beforeAll(() => {
  removeType = addType(broken);
});
afterAll(() => removeType());

describe.each(['SQLite in memory', 'PostgreSQL'])('an internal error on %s', (engine) => {
  test.each([
    ['POST', '/things', { id: 2, value: 'x' }],
    [
      'POST',
      '/things',
      [
        { id: 2, value: 'x' },
        { id: 3, value: 'y' },
      ],
    ],
    ['PATCH', '/things?id=eq.1', { value: 'x' }],
    ['PATCH', '/things', [{ id: 1, value: 'x' }]],
    ['PUT', '/things?id=eq.1', { id: 1, value: 'x' }],
    ['DELETE', '/things?value=eq.x', undefined],
  ])('in %s %s returns 500, and the log contains the stack', async (method, path, body) => {
    const errors: unknown[] = [];
    const onAnswer = ({ error }: { readonly error?: unknown }) => errors.push(error);
    const things = await openDeclared(engine, thingsOf({ value: 'broken' }), { things: [{ id: 1 }] }, { onAnswer });
    const response = await things.fetch(path, body === undefined ? { method } : sendJson(method, body));
    await expectRefusal(response, 500, 'CAT500');
    expect(errors).toEqual([expect.any(Error)]);
    expect((errors[0] as Error).stack).toContain('planted fault');
    expect(await things.list('/things?select=id,value')).toEqual([{ id: 1, value: null }]);
    await things.close();
  });
});
