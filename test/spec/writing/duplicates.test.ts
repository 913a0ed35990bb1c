/** Violated unique constraints: every engine reports the same value and the same row of the body. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const CATALOGUE = declareCatalogue({
  collections: [
    {
      name: 'things',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'price', type: 'decimal(12,4)', unique: true },
        { name: 'weight', type: 'decimal(18,6)', unique: true },
        { name: 'made', type: 'timestamptz', unique: true },
      ],
    },
    {
      name: 'makes',
      key: ['name'],
      fields: [
        { name: 'name', type: 'text' },
        { name: 'maker', type: 'text', unique: true },
      ],
    },
  ],
});

describe.each(TWO_ENGINES)('duplicates on %s', (engine) => {
  let catalogue: Catalogue;
  beforeEach(async () => {
    const things = [{ id: 1, price: 0.1, weight: -1.8, made: '2026-01-02T03:04:05+00:00' }];
    catalogue = await openDeclared(engine, CATALOGUE, { things });
  });
  afterEach(() => catalogue.close());

  const detailsOf = async (body: unknown) => {
    return (await expectRefusal(await catalogue.fetch('/things', sendJson('POST', body)), 409, '23505')).details;
  };

  test('the error prints the value as a response shows it', async () => {
    expect(await detailsOf({ id: 2, price: 0.1 })).toBe('Key (price)=(0.1) already exists.');
    expect(await detailsOf({ id: 2, weight: -1.8 })).toBe('Key (weight)=(-1.8) already exists.');
    expect(await detailsOf({ id: 2, made: '2026-01-02T03:04:05Z' })).toBe(
      'Key (made)=(2026-01-02 03:04:05+00) already exists.',
    );
  });

  test('of several duplicate values, the error names the key first, then the other fields in order', async () => {
    const taken = { price: 0.1, weight: -1.8, made: '2026-01-02T03:04:05+00:00' };
    expect(await detailsOf({ ...taken, id: 1 })).toBe('Key (id)=(1) already exists.');
    expect(await detailsOf({ ...taken, id: 2 })).toBe('Key (price)=(0.1) already exists.');
    const post = () => catalogue.fetch('/makes', sendJson('POST', { name: 'a', maker: 'b' }));
    expect((await post()).status).toBe(201);
    expect((await expectRefusal(await post(), 409, '23505')).message).toContain('"makes_pkey"');
  });

  test('of several rows, the error names the row with the duplicate', async () => {
    expect(await detailsOf([{ id: 2 }, { id: 3 }, { id: 1 }])).toBe('row 3: Key (id)=(1) already exists.');
    expect(
      await detailsOf([
        { id: 2, price: 0.1 },
        { id: 3, price: 0.2 },
      ]),
    ).toBe('row 1: Key (price)=(0.1) already exists.');
    expect(await catalogue.list('/things')).toHaveLength(1);
  });
});
