/** Hostile requests, each repeated until its time is up. Most of them once blocked the service for all clients. */
import type { Target } from './target.ts';

export interface Attack<Attacked extends Target = Target> {
  readonly name: string;
  /** Runs before the bystander begins. */
  readonly prepare?: (target: Attacked) => Promise<unknown>;
  readonly run: (target: Attacked) => Promise<void>;
  /** Runs after the attack. Resolves to why it succeeded, if it did. */
  readonly check?: (target: Attacked) => Promise<string | undefined>;
}

/** The baseline of a run. */
export const NOTHING: Attack = { name: 'nothing', run: (target) => target.again(1, () => Bun.sleep(100)) };

const MEGABYTE = 1024 * 1024;
/** Slightly below the maximum body size. */
const LARGE = 15 * MEGABYTE;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const DRY_RUN = 'tx=rollback';

const times = (count: number, text: (index: number) => string, joiner = ',') =>
  Array.from({ length: count }, (_, index) => text(index)).join(joiner);
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const rowsOf = (count: number) => `[${times(count, (index) => `{"product_name":"row ${index}"}`)}]`;

const bodies: readonly [name: string, type: string, body: () => string][] = [
  ['a form of two million names', FORM, () => filled('a&', 4 * MEGABYTE)],
  ['a body of empty objects', JSON_TYPE, () => `[${filled('{},', LARGE)}{}]`],
  ['a body of numbers', JSON_TYPE, () => `[${filled('1e2,', LARGE)}1]`],
  ['a body of brackets', JSON_TYPE, () => filled('[', LARGE)],
  ['a number of 15 million digits', JSON_TYPE, () => `[{"id":${filled('9', LARGE)}}]`],
  ['a body of commas in CSV', 'text/csv', () => `product_name\n${filled(',', LARGE)}`],
  ['a body of short lines in CSV', 'text/csv', () => `product_name\n${filled('a\n', LARGE)}`],
  ['a body of one long row', JSON_TYPE, () => `[{"product_name":"${filled('x', LARGE)}"}]`],
  ['a POST of 400,000 rows', JSON_TYPE, () => rowsOf(400_000)],
  ['POSTs of 90,000 rows, as dry runs', JSON_TYPE, () => rowsOf(90_000)],
];

const reads: readonly [name: string, atOnce: number, path: (target: Target) => string][] = [
  ['250,000 parameters', 4, () => `/products?${filled('a&', 500_000)}`],
  [
    'searches in one long text',
    4,
    ({ long }) => `/products/${long}?select=id&${times(10, () => 'quantity_per_unit=not.fts.zebra', '&')}`,
  ],
  ['an expression on one long text', 4, ({ long }) => `/products/${long}?quantity_per_unit=match.(a|b|ab)*z$`],
  [
    'regular expressions that are large',
    4,
    () => `/products?or=(${times(40, (index) => `product_name.match."((a${index}){100}){80}"`)})`,
  ],
  ['500 expressions', 4, () => `/products?or=(${times(499, (index) => `product_name.imatch."never ${index}"`)})`],
  ['searches of all names', 20, () => '/products?product_name=match.[aeiou]{3}.*zz&limit=10'],
  ['full text searches', 20, () => '/products?product_name=fts.zebra&limit=10'],
  ['deep offsets', 8, ({ products }) => `/products?offset=${products - 10}&limit=5&order=unit_price`],
  ['sorts without an index', 8, () => '/products?order=quantity_per_unit.desc,product_name&limit=5'],
  ['counts', 8, () => '/products?unit_price=gt.3&limit=1&select=count()'],
  ['pages of long rows', 8, ({ long }) => `/products?id=gte.${long}`],
  [
    'one long field 15 times',
    4,
    ({ long }) => `/products?id=eq.${long}&select=${times(15, (index) => `a${index}:quantity_per_unit`)}`,
  ],
  [
    'one long field 200 times',
    4,
    ({ long }) => `/products?id=eq.${long}&select=${times(200, (index) => `a${index}:quantity_per_unit`)}`,
  ],
  ['exports', 8, () => '/products'],
];

const patch = '{"unit_price":3}';

export const ATTACKS: readonly Attack[] = [
  NOTHING,
  ...bodies.map(
    ([name, type, make]): Attack => ({
      name,
      run: (target) => {
        const body = make();
        return target.again(4, () => target.send('POST', '/products', type, body, DRY_RUN));
      },
    }),
  ),
  ...reads.map(
    ([name, atOnce, path]): Attack => ({
      name,
      run: (target) => target.again(atOnce, () => target.ask(path(target))),
    }),
  ),
  {
    name: 'costly dry runs',
    run: (target) =>
      target.again(14, () =>
        target.send('PATCH', '/products?product_name=match.[aeiou]{3}z', JSON_TYPE, patch, DRY_RUN),
      ),
  },
  {
    name: 'a dry run of a change to everything',
    run: (target) => target.again(2, () => target.send('PATCH', '/products?id=gt.0', JSON_TYPE, patch, DRY_RUN)),
  },
  {
    name: 'the same with its rows back',
    run: (target) =>
      target.again(2, () =>
        target.send('PATCH', '/products?id=gt.0', JSON_TYPE, patch, `${DRY_RUN}, return=representation`),
      ),
  },
  {
    name: 'a dry run of a removal of everything',
    run: (target) =>
      target.again(2, () => target.ask('/products?id=gt.0', { method: 'DELETE', headers: { prefer: DRY_RUN } })),
  },
  { name: '100 exports that nobody reads', run: (target) => target.held(100, GET('/products')) },
  { name: '3,000 idle connections', run: (target) => target.held(3_000, '') },
  {
    name: '500 slow headers',
    run: (target) => target.held(500, 'GET /products HTTP/1.1\r\nHost: localhost\r\n', 'x: y\r\n'),
  },
  {
    name: '30 bodies that do not end',
    run: (target) =>
      target.held(
        30,
        `POST /products HTTP/1.1\r\nHost: localhost\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${LARGE}\r\n\r\n[${filled('{},', LARGE - MEGABYTE)}`,
        '{},',
      ),
  },
];
