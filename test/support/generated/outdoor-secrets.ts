/**
 * The outdoor shop with secrets: drafts, retired products, prices of other times, orders of others, costs. Two
 * databases have the same rows and get the same writes, except for secrets. Gaps between keys and between positions of
 * the log are visible, so both have as many rows and changes.
 */
import type { Row } from '../../../src/collection/value.ts';
import { OUTDOOR_ROWS, outdoorShop } from '../engines/outdoor-shop.ts';
import { gradient } from '../pictures.ts';
import type { Chooser } from './embedding-requests.ts';

/** The roles of the example whose callers are strangers, and the same with the log. */
export const STRANGERS = ['anonymous', 'customer', 'watcher', 'regular'] as const;
export const SECRET_OUTDOOR_SHOP = outdoorShop(`
  watcher: { include: [anonymous], changes: { read: true } }
  regular: { include: [customer], changes: { read: true } }
`);
/** Marks every secret text. */
export const SECRET = /HIDDEN|424[23]/;

export type Database = 0 | 1;
type Changes = Readonly<Record<string, unknown>>;

export interface BatchEntry {
  readonly method: string;
  readonly path: string;
  readonly body?: Changes;
}
type PairOfWrites = (database: Database) => BatchEntry;

const uuid = (kind: number, number: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const SHARED_FILES = [0, 1, 2, 3].map((number) => uuid(1, number));
const filesOf = (database: Database) => [...SHARED_FILES, ...[4, 5].map((number) => uuid(2 + database, number))];
/** Files that a request may name: shown, hidden, and of the other database. */
export const ANY_FILES = [...filesOf(0), ...filesOf(1).slice(-2), uuid(9, 9)];

/** Products that are never for sale. */
const HIDDEN = [10, 11];

export function outdoorRows(on: Database): Readonly<Record<string, readonly Row[]>> {
  const secret = `HIDDEN ${on}`;
  const number = 4242 + on;
  const only = 12 + on;
  const hidden = [...HIDDEN, only];
  const shown = (name: string) => OUTDOOR_ROWS[name]!.filter(({ product_id }) => !HIDDEN.includes(Number(product_id)));
  const ids = filesOf(on);
  return {
    ...OUTDOOR_ROWS,
    products: [
      ...OUTDOOR_ROWS.products!.slice(0, 9).map((row, index) => ({
        ...row,
        ...{ cost: number, sold: on, image: SHARED_FILES[index] ?? null },
      })),
      ...hidden.map((id) => ({
        ...{ id, sku: `${secret} ${id}`, name: secret, status: (id + on) % 2 === 0 ? 'draft' : 'retired' },
        ...{ category: on === 0 ? 'Tents' : 'Cooking', maker: secret, cost: number, image: ids[3 + on]! },
        ...{ description: secret, description_de: on === 0 ? null : secret },
      })),
    ],
    variants: [...shown('variants'), ...hidden.map((product_id) => ({ product_id, variant: secret }))],
    stock: [
      ...shown('stock').map((row) => ({ ...row, pieces: row.pieces === 0 ? 0 : 9_000 + on })),
      ...hidden.map((product_id) => ({ product_id, variant: secret, pieces: number })),
    ],
    prices: [
      ...shown('prices')
        .slice(0, 9)
        .map((row) => ({ ...row, sold: number, valid_to: on === 0 ? null : '2999-01-01T00:00:00Z' })),
      ...hidden.map((id) => ({ id, product_id: id, amount: number, valid_from: '2020-01-01T00:00:00Z' })),
      {
        id: 20,
        product_id: 1,
        amount: number,
        valid_from: `201${on}-01-01T00:00:00Z`,
        valid_to: '2020-01-01T00:00:00Z',
      },
      { id: 21 + on, product_id: 2 + on, amount: number, valid_from: `20${98 + on}-01-01T00:00:00Z`, valid_to: null },
      { id: 30, product_id: 3, amount: number, valid_from: '2099-01-01T00:00:00Z', valid_to: null },
    ],
    customers: [OUTDOOR_ROWS.customers![0]!, ...[2, 3].map((id) => ({ id, name: secret, email: `${secret} ${id}` }))],
    orders: [
      ...[1, 2].map((id) => ({ id, customer_id: 1, placed_at: '2026-01-01T00:00:00Z' })),
      ...[3, 4 + on, 50].map((id) => ({ id, customer_id: 2 + on, placed_at: `${number}-01-01T00:00:00Z` })),
    ],
    order_lines: [
      line(1, { order_id: 1, product_id: 1, variant: 'green', price_id: on === 0 ? 1 : 20, amount: 5 }),
      line(2, { order_id: 2, product_id: 7, variant: 'black', price_id: 7, amount: 6 }),
      line(3, { order_id: 3, product_id: 1 + on, variant: 'green', price_id: 1 + on, quantity: number }),
      line(4 + on, { order_id: 4 + on, product_id: 10, variant: secret, price_id: 10, quantity: number }),
      line(50, { order_id: 50, product_id: 4, variant: 'regular', price_id: 4, quantity: number }),
    ],
    ...fileRows(on, ids),
  };
}

function line(id: number, more: Row): Row {
  return { id, quantity: 1, amount: 4242, ...more };
}

function fileRows(on: Database, ids: readonly string[]): Readonly<Record<string, readonly Row[]>> {
  const created_at = '2020-01-01T00:00:00Z';
  const contents = ids.map((id, index) => {
    const bytes = gradient(12, 12, index < SHARED_FILES.length ? index : index + 10 * (1 + on));
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    return { id, content: `9${id.slice(1)}`, bytes, sha256, size: bytes.length };
  });
  return {
    catalogue_file_contents: contents.map(({ content: id, sha256, size }) => ({ id, sha256, size, created_at })),
    catalogue_file_chunks: contents.map(({ content, bytes }) => ({ content, position: 0, data: bytes.toHex() })),
    catalogue_files: contents.map(({ id, content, sha256, size }, index) => ({
      ...{ id, content, name: `${index < 4 ? 'file' : 'HIDDEN'} ${index}.png`, media_type: 'image/png' },
      ...{ size, sha256, width: 12, height: 12, created_at },
    })),
  };
}

/** A price whose time comes soon: the feeds of prices send this event without a write. */
export interface Expected {
  readonly event: 'insert' | 'delete';
  readonly id: number;
}

/** The writes of one transaction, and the events that follow. */
export interface Step {
  readonly batch: (database: Database) => readonly BatchEntry[];
  readonly expected: readonly Expected[];
}

/** How long after the choice of a batch the time of a price comes. Both databases have the batch by then. */
const SOON_MS = 1500;

/** The writes, with what they have done so far to visibility. */
export class OutdoorWriter {
  /** Products that are for sale or not, with the same texts and prices in both databases. */
  private readonly isLive = new Map([8, 9].map((id) => [id, true]));
  private count = 100;

  constructor(private readonly choose: Chooser) {}

  step(): Step {
    const expected: Expected[] = [];
    const writes = Array.from({ length: this.choose.number(1, 4) }, () => this.write(expected));
    return { expected, batch: (database) => writes.map((write) => write(database)) };
  }

  private write(expected: Expected[]): PairOfWrites {
    const { choose } = this;
    const n = ++this.count;
    const secret = (on: Database) => `HIDDEN ${on} ${n}`;
    const number = (on: Database) => 424_200 + 2 * n + on;
    const image = ([0, 1] as const).map((on) => choose.one([null, ...filesOf(on)]));
    const hidden = choose.one(HIDDEN);
    const shown = choose.number(2, 7);
    const past = (on: Database) => `20${10 + ((n + on) % 9)}-01-01T00:00:00Z`;
    switch (choose.number(0, 14)) {
      case 0:
        return (on) => patch(`products?id=eq.${shown}`, { cost: number(on), sold: number(on) });
      case 1:
        return (on) => patch(`products?id=eq.${hidden}`, { name: secret(on), cost: number(on), image: image[on]! });
      case 2:
      case 3:
        return this.toggled(choose.number(8, 9), n, secret, number);
      case 4:
        return (on) => patch(`products?id=eq.${hidden}`, { description: secret(on) });
      case 5:
        return () => patch(`products?id=eq.${shown}`, { description_de: `shown ${n}` });
      case 6:
        return (on) => patch('prices?id=eq.20', { amount: number(on), valid_from: past(on) });
      case 7:
        return (on) =>
          patch(`prices?id=eq.${shown}`, { sold: number(on), valid_to: `29${10 + (n % 80)}-01-0${1 + on}T00:00:00Z` });
      case 8:
        return (on) => patch(`prices?id=eq.${shown}`, { amount: n, sold: number(on) });
      case 9:
        return (on) => patch(`order_lines?id=eq.50`, { quantity: number(on) });
      case 10:
        return (on) => patch('order_lines?id=eq.2', { quantity: n, price_id: (n + on) % 2 === 0 ? 7 : 20 });
      case 11:
        return (on) =>
          patch('orders?id=eq.3', { customer_id: 2 + ((n + on) % 2), placed_at: `${4000 + n}-02-02T00:00:00Z` });
      case 12:
        return this.soon(expected, n, choose.number(1, 7));
      case 13:
        // The time of a price comes, and its product stays hidden.
        return (on) =>
          post('prices', { id: n, product_id: hidden, amount: number(on), valid_from: fromNow(300 * (1 + on)) });
      default:
        return (on) => post('orders', { id: n, customer_id: 2 + on, placed_at: `${4242 + on}-02-02T00:00:00Z` });
    }
  }

  /** Takes a product off sale, changes it there, or puts it on sale with values that both databases share. */
  private toggled(
    id: number,
    n: number,
    secret: (on: Database) => string,
    number: (on: Database) => number,
  ): PairOfWrites {
    const isLive = this.isLive.get(id)!;
    const turns = this.choose.sometimes(60);
    if (turns) this.isLive.set(id, !isLive);
    const where = `products?id=eq.${id}`;
    if (isLive && turns) return (on) => patch(where, { status: on === 0 ? 'draft' : 'retired', name: secret(on) });
    if (turns) return (on) => patch(where, { status: 'live', name: `shown ${n}`, cost: number(on) });
    if (isLive) return (on) => patch(where, { name: `shown ${n}`, cost: number(on) });
    return (on) => patch(where, { name: secret(on), cost: number(on) });
  }

  /** A price of a live product that begins or ends soon, at the same time in both databases. */
  private soon(expected: Expected[], id: number, product_id: number): PairOfWrites {
    const opens = this.choose.sometimes(50);
    expected.push({ event: opens ? 'insert' : 'delete', id });
    const time = fromNow(SOON_MS);
    const valid = opens ? { valid_from: time } : { valid_from: '2020-01-01T00:00:00Z', valid_to: time };
    return (on) => post('prices', { id, product_id, amount: id, sold: 4242 + on, ...valid });
  }
}

function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

function patch(path: string, body: Changes): BatchEntry {
  return { method: 'PATCH', path: `/${path}`, body };
}

function post(name: string, body: Changes): BatchEntry {
  return { method: 'POST', path: `/${name}`, body };
}

/** Changes of rows that every stranger, or the customer, sees. Their text contains the marker. */
export function markers(marker: number): readonly BatchEntry[] {
  return [
    patch('products?id=eq.1', { name: `${marker}`, description: `${marker}` }),
    patch('prices?id=eq.1', { amount: marker }),
    patch('orders?id=eq.1', { placed_at: `${marker}-01-01T00:00:00Z` }),
    patch('order_lines?id=eq.1', { quantity: marker }),
  ];
}
