/** Deletes rejected by a foreign key: the error names the reference that restricts the delete, and no other one. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { OnDelete } from '../../../src/collection/draft.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared, openShop } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const ID = { name: 'id', type: 'int4' } as const;
const reference = (name: string, collection: string, onDelete: OnDelete) => ({
  name,
  type: 'int4',
  references: { collection, onDelete },
});
const CATALOGUE = declareCatalogue({
  collections: [
    { name: 'groups', key: ['id'], fields: [ID] },
    {
      name: 'items',
      key: ['id'],
      fields: [ID, reference('next', 'items', 'set null'), reference('group', 'groups', 'cascade')],
    },
    { name: 'kept', key: ['id'], fields: [ID, reference('item', 'items', 'restrict')] },
  ],
});
const ROWS = {
  groups: [{ id: 1 }, { id: 2 }],
  items: [
    { id: 1, next: 2, group: 1 },
    { id: 2, next: null, group: 1 },
    { id: 3, next: 3, group: 2 },
  ],
  kept: [{ id: 1, item: 2 }],
};

describe.each(TWO_ENGINES)('a rejected delete on %s', (engine) => {
  let catalogue: Catalogue;
  beforeEach(async () => {
    catalogue = await openDeclared(engine, CATALOGUE, ROWS);
  });
  afterEach(() => catalogue.close());

  const refusal = async (path: string, init: RequestInit) => {
    const { message, details } = await expectRefusal(await catalogue.fetch(path, init), 409, '23503');
    return [message, details];
  };
  const KEPT = [
    'update or delete on table "items" violates foreign key constraint "kept_item_fkey" on table "kept"',
    'Key (id)=(2) is still referenced from table "kept".',
  ];

  test('names the reference that restricts it, and not one that would be set to null', async () => {
    expect(await refusal('/items/2', { method: 'DELETE' })).toEqual(KEPT);
  });

  test('names the reference that restricts a row deleted by cascade', async () => {
    expect(await refusal('/groups/1', { method: 'DELETE' })).toEqual(KEPT);
    expect((await catalogue.fetch('/groups/2', { method: 'DELETE' })).status).toBe(204);
  });

  test('of several rows names the first restricted one', async () => {
    const shop = await openShop(engine);
    const response = await shop.fetch('/categories?id=in.(1,9,11)', { method: 'DELETE' });
    const { details } = await expectRefusal(response, 409, '23503');
    expect(details).toBe('Key (id)=(1) is still referenced from table "products".');
    await shop.close();
  });

  test('caused by a key change names any reference', async () => {
    const [message] = await refusal('/groups?id=eq.1', sendJson('PATCH', { id: 7 }));
    expect(message).toContain('"items_group_fkey" on table "items"');
  });
});
