/** The order of groups, including fields whose rule or default exceeds the range of a double. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Catalogue } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { declared } from '../../support/processes/declarations.ts';
import { expectRefusal } from '../../support/stories.ts';

const DECLARATION = `
collections:
  boxes:
    fields:
      id: int4
      big: { type: int8, minimum: 1, default: 5 }
  things:
    fields:
      id: int4
      big: { type: int8, minimum: 1, default: 5 }
      data: json
      box_id: { type: int4, references: boxes }
`;

const ROWS: Readonly<Record<string, readonly object[]>> = {
  boxes: [
    { id: 1, big: 9 },
    { id: 2, big: 7 },
  ],
  things: [
    { id: 1, big: 30, data: { size: 2 }, box_id: 1 },
    { id: 2, big: 20, data: { size: 1 }, box_id: 2 },
    { id: 3, big: 30, data: { size: 2 }, box_id: 1 },
  ],
};

describe.each(['SQLite', 'SQLite with large tables', 'PostgreSQL'])('groups with an int8 default on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openDeclared(engine, declareCatalogue(await declared(DECLARATION)), ROWS as never);
  });
  afterAll(() => catalogue.close());

  const groups: readonly [query: string, rows: readonly object[]][] = [
    [
      'select=big,count()&order=big.desc',
      [
        { big: 30, count: 2 },
        { big: 20, count: 1 },
      ],
    ],
    [
      'select=big,text:big::text,count()&order=big',
      [
        { big: 20, text: '20', count: 1 },
        { big: 30, text: '30', count: 2 },
      ],
    ],
    [
      'select=data->size,count()&order=data->size',
      [
        { size: 1, count: 1 },
        { size: 2, count: 2 },
      ],
    ],
    [
      'select=...boxes(big),count()&order=boxes(big)',
      [
        { big: 7, count: 1 },
        { big: 9, count: 2 },
      ],
    ],
    [
      'select=...boxes(big),count()&order=boxes(big).desc',
      [
        { big: 9, count: 2 },
        { big: 7, count: 1 },
      ],
    ],
  ];
  test.each(groups)('%s', async (query, rows) => {
    expect(await catalogue.list(`/things?${query}`)).toEqual(rows as never);
  });

  const refused = [
    'select=big::text,count()&order=big',
    'select=...boxes(id),count(),other:boxes(big)&order=other(big)',
  ];
  test.each(refused)('%s does not order by the groups: 400', async (query) => {
    const { hint } = await expectRefusal(await catalogue.fetch(`/things?${query}`), 400, '42803');
    expect(hint).toStartWith('Groups of things are ordered by what is selected of them: ');
  });
});
