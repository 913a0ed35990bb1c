/** Mistakes in actions are reported at start, with their line and a suggestion; the description shows the others. */
import { describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { parseDeclaration } from '../../src/declare/read.ts';
import { describe as described } from '../../src/openapi/described.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { typeScriptTypes } from '../../src/openapi/types.ts';
import { ORDERS_YAML } from '../support/engines/order-actions.ts';

const COLLECTIONS = `collections:
  products: { fields: { id: int4, name: text, stock: int4, made: date } }
  orders: { fields: { id: int4, note: text } }
actions:
`;
const mistakesIn = (action: string): string => {
  try {
    parseDeclaration(`${COLLECTIONS}  place: ${action}\n`, 'c.yaml');
    return '';
  } catch (error) {
    return String(error);
  }
};
const LINES = 'lines: { type: rows, fields: { product: int4, quantity: int4 }, maximum: 9 }';
const mistakes = (entries: string, parameters = LINES, more = '') =>
  mistakesIn(`{ parameters: { ${parameters} }, batch: [${entries}]${more} }`);
const ORDER = "{ name: order, method: POST, path: orders, body: { note: 'x' } }";
const TAKE = (path = 'products?id=eq.{lines.product}', body = "{ stock: { decrement: '{lines.quantity}' } }") =>
  `{ each: lines, method: PATCH, path: '${path}', body: ${body}, affects: 1 }`;

describe('a valid action', () => {
  test('has no mistakes', () => {
    expect(mistakes(`${ORDER}, ${TAKE()}`)).toBe('');
    expect(
      mistakes("{ method: POST, path: /products, body: '{lines}' }", 'lines: { type: rows, fields: { stock: int4 } }'),
    ).toBe('');
    expect(mistakes("{ method: POST, path: products, body: { made: '{day}' } }", 'day: date')).toBe('');
  });
});

describe.each([
  ['an unknown collection', TAKE('prodcts?id=eq.{lines.product}'), 'products'],
  ['an unknown field of a filter', TAKE('products?idd=eq.{lines.product}'), 'idd'],
  ['an unknown field of a body', TAKE(undefined, "{ stok: '{lines.quantity}' }"), 'stock'],
  ['an unknown placeholder', TAKE('products?id=eq.{lines.prodct}'), '{lines.product}'],
  [
    'an unknown placeholder in a body',
    TAKE(undefined, "{ stock: { decrement: '{lines.quantty}' } }"),
    '{lines.quantity}',
  ],
  [
    'a placeholder of rows outside each',
    "{ method: PATCH, path: 'products?id=eq.{lines.product}', body: { stock: 1 } }",
    '{lines.product}',
  ],
  ['a part of a value', TAKE(undefined, "{ name: 'No {lines.product}' }"), 'a whole value is written {lines.product}'],
  ['a write without a filter', TAKE('products', "{ stock: '{lines.quantity}' }"), 'without a filter'],
  ['an unknown operation', TAKE(undefined, "{ stock: { decrese: '{lines.quantity}' } }"), 'decrement'],
  [
    'a value of a later entry',
    `${TAKE(undefined, "{ stock: '{order.id}' }")}, ${ORDER}`,
    '{order.id} is not a placeholder',
  ],
  [
    'a value of an earlier entry in a filter',
    `${ORDER}, ${TAKE('products?id=eq.{order.id}&stock=eq.{lines.quantity}')}`,
    'known only later',
  ],
  [
    'an unknown field of an earlier entry',
    `${ORDER}, ${TAKE(undefined, "{ stock: '{order.idd}', name: x }")}`,
    '{order.id}',
  ],
  ['a pattern', TAKE('products?name=like.{lines.product}'), 'is not a pattern'],
  ['a day in a body', TAKE(undefined, "{ made: '{today}' }"), 'a value of a filter'],
  ['an unknown parameter of each', TAKE().replace('each: lines', 'each: line'), 'lines'],
  ['an unknown method', TAKE().replace('PATCH', 'GET'), 'POST'],
  ['a body of a DELETE', "{ method: DELETE, path: 'orders?id=eq.1', body: { id: 1 } }", 'DELETE has no body'],
] as const)('%s', (_, entries, words) => {
  test('is a mistake with a line and a suggestion', () => {
    const text = mistakes(entries);
    expect(text).toContain(words);
    expect(text).toMatch(/c\.yaml:5:\d+/);
  });
});

describe('a mistake', () => {
  test('in the parameters', () => {
    const use = "{ method: POST, path: products, body: { stock: '{a}' } }";
    expect(mistakes(use, 'a: text')).toContain('integer');
    const change = "{ method: PATCH, path: 'products?id=eq.1', body: { stock: '{a}' } }";
    expect(mistakes(change, 'a: json')).toContain('operation');
    expect(mistakes(use, 'a: int5')).toContain('int2');
    expect(mistakes(use, 'a: { type: int4, pattern: x }')).toContain('pattern is for texts');
    expect(mistakes(use, 'a: { type: int4, minimum: 2, default: 1 }')).toContain('less than minimum');
    expect(mistakes(use, 'a: int4, b: int4')).toContain('does not use the parameter b');
    expect(mistakes(use, 'a: rows')).not.toBe('');
    expect(mistakes(use, 'a: { type: rows, fields: { x: int4 }, maximum: 0 }')).toContain('1 to 1000');
    expect(mistakes(use, 'claims: int4')).toContain('claims');
    expect(mistakes(`${ORDER}, ${TAKE()}, ${TAKE()}`, LINES.replace('9', '600'))).toContain('lower maximum');
  });

  test('in the names', () => {
    expect(mistakes(`${ORDER}, ${TAKE()}`, LINES, ', returns: ordr')).toContain('order');
    expect(mistakes(`${ORDER}, ${ORDER}, ${TAKE()}`)).toContain('order is already an earlier entry');
    expect(mistakes(`${ORDER.replace('name: order', 'name: lines')}, ${TAKE()}`)).toContain(
      'lines is already a parameter',
    );
    const both = `{ batch: [${ORDER}] }\nqueries:\n  place: { read: orders }`;
    expect(mistakesIn(both)).toContain('also a query or a function');
    const roles = `{ batch: [${ORDER}] }\nroles:\n  a: { call: [plce] }`;
    expect(mistakesIn(roles)).toContain('place');
  });
});

describe('the description of actions', () => {
  const catalogue = declareCatalogue(parseDeclaration(ORDERS_YAML, 'c.yaml'));

  test('has the arguments and the result', () => {
    const document = openApiDocument(described({ catalogue, rows: () => [] }));
    const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>;
    expect(Object.keys(paths['/rpc/place_order']!)).toEqual(['post']);
    const { requestBody, responses, tags, summary } = paths['/rpc/place_order']!.post!;
    expect([tags, summary]).toEqual([['Actions'], 'Places an order of the customer.']);
    expect(requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: {
            required: ['lines'],
            properties: {
              note: { type: ['string', 'null'], maxLength: 20 },
              lines: {
                type: 'array',
                maxItems: 50,
                items: { properties: { quantity: { minimum: 1, maximum: 99 } }, required: ['product', 'quantity'] },
              },
            },
          },
        },
      },
    });
    expect(JSON.stringify(responses)).toContain('customer_id');
    expect(Object.keys(paths['/rpc/cancel']!.post!.responses as object)).toContain('204');
  });

  test('has TypeScript types', () => {
    const types = typeScriptTypes(catalogue);
    expect(types).toContain('lines: { product: number; quantity: number; }[];');
    expect(types).toContain('note?: string | null;');
    expect(types).toContain("Returns: Database['public']['Tables']['orders']['Row'];");
    expect(types).toContain("renamed: Database['public']['Tables']['products']['Row'][]");
  });
});
