/** Constraint names: a reference may have the name of a collection, or of a reference in another collection. */
import { describe, expect, test } from 'bun:test';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { PLACES } from '../../support/engines/declared.ts';

function declared(onDelete: 'cascade' | 'restrict'): readonly CollectionDraft[] {
  const id = { name: 'id', type: 'int4' };
  const referTo = (collection: string, constraint: string) => ({
    name: 'client_id',
    type: 'int4',
    references: { collection, onDelete, constraint },
  });
  return [
    { name: 'client', key: ['id'], fields: [id] },
    { name: 'clients', key: ['id'], fields: [id] },
    { name: 'projects', key: ['id'], fields: [id, referTo('clients', 'client')] },
    { name: 'tags', key: ['id'], fields: [id, referTo('clients', 'client')] },
  ];
}

describe.each(Object.keys(PLACES))('constraint names on %s', (engine) => {
  test('may repeat a name in use elsewhere: embeddings and migrations resolve them per table', async () => {
    const place = PLACES[engine]!();
    const first = await place.open({ collections: declared('restrict') });
    await first.post('clients', [{ id: 1 }]);
    await first.post('projects', [{ id: 1, client_id: 1 }]);
    expect(await (await first.fetch('/projects?select=client(id)')).json()).toEqual([{ client: { id: 1 } }]);
    await first.close();
    expect((await place.plan({ collections: declared('restrict') })).steps).toEqual([]);
    expect((await place.plan({ collections: declared('cascade') })).steps).toHaveLength(4);
    const second = await place.open({ collections: declared('cascade') });
    expect((await second.fetch('/clients?id=eq.1', { method: 'DELETE' })).status).toBe(204);
    expect(await second.list('/projects')).toEqual([]);
    await second.close();
  });
});

test('a name used by two constraints of one table is rejected', async () => {
  const text = `collections:
  clients:
    fields: { id: int4 }
  projects:
    fields:
      id: int4
      a: { type: int4, references: { collection: clients, constraint: c } }
      b: { type: int4, references: { collection: clients, constraint: c } }
`;
  expect(() => parseDeclaration(text, 'c.yaml')).toThrow('the reference projects.b would be called c');
});
