/** References with a wider integer type than the key: they are embedded, stored and checked like any other. */
import { describe, expect, test } from 'bun:test';
import { PLACES } from '../../support/engines/declared.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const collections = [
  { name: 'people', key: ['id'], fields: [{ name: 'id', type: 'int4' }] },
  {
    name: 'messages',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'sender', type: 'int8', references: { collection: 'people', onDelete: 'restrict' as const } },
    ],
  },
];

describe.each(Object.keys(PLACES))('an int8 reference to an int4 key on %s', (engine) => {
  test('can be embedded from both sides, and is checked on both sides', async () => {
    const place = PLACES[engine]!();
    const opened = await place.open({ collections });
    await opened.post('people', [{ id: 1 }, { id: 2 }]);
    await opened.post('messages', [
      { id: 1, sender: 1 },
      { id: 2, sender: null },
    ]);
    expect(await (await opened.fetch('/messages?select=id,people(id)&order=id')).json()).toEqual([
      { id: 1, people: { id: 1 } },
      { id: 2, people: null },
    ]);
    expect(await (await opened.fetch('/people?select=id,messages(id)&messages.sender=eq.1&order=id')).json()).toEqual([
      { id: 1, messages: [{ id: 1 }] },
      { id: 2, messages: [] },
    ]);
    for (const sender of [3, 9007199254740993n]) {
      const body = `{"id":3,"sender":${sender}}`;
      const response = await opened.fetch('/messages', { ...sendJson('POST', {}), body });
      await expectRefusal(response, 409, '23503');
    }
    await expectRefusal(await opened.fetch('/people?id=eq.1', { method: 'DELETE' }), 409, '23503');
    await opened.close();
    expect((await place.plan({ collections })).steps).toEqual([]);
  });
});
