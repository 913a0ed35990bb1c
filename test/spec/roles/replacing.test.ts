/** PUT by a role: it writes no field that the role may not update, including automatic timestamps. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const NOTES = declaredBy(`collections:
  notes:
    fields:
      id: int4
      name: text
      changed: { type: timestamptz, onUpdate: now }
      approved: { type: date, onUpdate: now }
roles:
  writer: { notes: { read: { fields: [id, name] }, update: { fields: [name] } } }
  maker: { notes: { read: true, create: true, update: { fields: [name] } } }
  admin: all
`);

for (const engine of TWO_ENGINES) {
  describe(engine, () => {
    let notes: Roled;
    let before: string;
    beforeEach(async () => {
      notes = await openRoled(engine, NOTES, { notes: [{ id: 1, name: 'x', changed: null, approved: null }] });
      before = await notes.as('admin').text('/notes');
    });
    afterEach(() => notes.close());

    test.each([
      ['writer', '/notes/1'],
      ['maker', '/notes/1'],
      ['maker', '/notes?id=eq.1'],
    ])('%s cannot set automatic timestamps with PUT: %s', async (role, path) => {
      const body = { id: 1, name: 'y', changed: '1990-01-01T00:00:00Z', approved: '1980-01-01' };
      await expectRefusal(await notes.as(role).fetch(path, sendJson('PUT', body)), 403, '42501');
      expect(await notes.as('admin').text('/notes')).toBe(before);
    });

    test('the error for an unknown field names no hidden fields', async () => {
      for (const wrong of ['nosuch', 'chnged']) {
        const response = await notes.as('writer').fetch('/notes/1', sendJson('PUT', { name: 'y', [wrong]: 1 }));
        expect(JSON.stringify(await expectRefusal(response, 400, 'PGRST204'))).not.toMatch(/changed|approved/);
      }
    });

    test.each([
      ['writer', '/notes/1'],
      ['admin', '/notes/1'],
      ['admin', '/notes?id=eq.1'],
    ])('%s replaces the fields it may update, and the service sets the timestamps: %s', async (role, path) => {
      const response = await notes.as(role).fetch(path, sendJson('PUT', { id: 1, name: 'y' }));
      expect([200, 204]).toContain(response.status);
      const [row] = await notes.as('admin').list('/notes');
      expect(row).toMatchObject({ id: 1, name: 'y', changed: expect.any(String), approved: expect.any(String) });
    });
  });
}
