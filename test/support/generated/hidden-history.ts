/**
 * A shop whose secrets no role but admin reads: withdrawn products and comments on them, hidden groups, costs, drafts,
 * passports, a vault. Two databases get the same writes except for secrets. The writes log the same number of changes
 * in both, since gaps between positions are visible.
 */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from '../engines/roles.ts';
import { gradient } from '../pictures.ts';
import type { Chooser } from './embedding-requests.ts';

/** A view of the database that shows everything, which something else made. Roles read some of it. */
export const VIEW_OF_OTHERS = `
create view offers as
  select p.id as number, p.name, p.price, p.cost, p.withdrawn, p.seller, p.group_id, g.name as group_name
  from products p left join groups g on g.id = p.group_id`;
const OFFERS = `
  offers:
    key: none
    references: [{ fields: [group_id], collection: groups, to: [id], constraint: offers_group }]
    fields: { number: int4, name: text, price: int4, cost: int4, withdrawn: boolean, seller: int4, group_id: int4, group_name: text }`;
const OFFERS_OF_VISITORS = `
    offers: { read: { where: 'withdrawn=is.false', fields: [number, name, price, group_id] } }`;
const OFFERS_OF_SELLERS = `
    offers: { read: { where: 'withdrawn=is.false&seller=eq.{claims.seller}', fields: [number, name, price, seller] } }`;

const secretShop = (offers = '', ofVisitors = '', ofSellers = '') =>
  declaredBy(`
collections:${offers}
  groups:
    fields:
      id: int4
      name: { type: text, required: true }
      hidden: { type: boolean, required: true, default: false }
      note: text
  products:
    comments: product_comments
    fields:
      id: int4
      name: { type: text, required: true }
      price: int4
      cost: int4
      withdrawn: { type: boolean, required: true, default: false }
      seller: int4
      group_id: { type: int4, references: { collection: groups, onDelete: set null } }
      image: image
      draft: image
      pictures: 'image[]'
      drafts: 'image[]'
  people:
    fields: { id: int4, name: text, passport: image, note: text }
  vault:
    fields: { id: int4, scan: image, note: text, product_id: { type: int4, references: { collection: products, onDelete: cascade } } }
  tags: { fields: { id: int4, name: text } }
roles:
  visitor:${ofVisitors}
    products: { read: { where: 'withdrawn=is.false', fields: [id, name, price, group_id, image, pictures] } }
    groups: { read: { where: 'hidden=is.false', fields: [id, name] } }
    people: { read: { fields: [id, name] } }
    product_comments: { read: true, create: true, update: true, delete: true }
    tags: { read: true, create: true, update: true, delete: true }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  seller:${ofSellers}
    products:
      read: { where: 'withdrawn=is.false&seller=eq.{claims.seller}', fields: [id, name, price, seller, group_id, image, pictures] }
      update: { fields: [name, price, image, pictures] }
    people: { read: { fields: [id, name] }, update: { fields: [name] } }
    product_comments: { read: true, create: { fields: [id, row_id, text] }, update: { fields: [text] } }
    tags: { read: true, create: true, delete: true }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  mixed:
    include: [visitor]
    products: { read: { where: 'withdrawn=is.false&seller=eq.{claims.seller}', fields: [id, name, seller, withdrawn] } }
  admin: all
`);

export const SECRET_SHOP = secretShop();
/** The same with a view of the database, on PostgreSQL. */
export const SECRET_SHOP_WITH_VIEW = secretShop(OFFERS, OFFERS_OF_VISITORS, OFFERS_OF_SELLERS);

export const SECRET_ROLES = ['visitor', 'seller', 'mixed'];
export const SELLER = { seller: 1 } as const;
/** Marks every secret text. */
export const SECRET = /HIDDEN/;

export type Database = 0 | 1;

/** A row that every role always sees, in each collection but the vault. */
const MARKED = 90;
/** A product that no role ever sees. */
export const NEVER_SHOWN = 7;

export const uuid = (kind: number, number: number) =>
  `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const MARKED_COMMENT = uuid(5, MARKED);
/** The comments of each role: on a product that it sees, on one that may be withdrawn, on one that it never sees. */
export const ownComments = (role: string): readonly string[] =>
  [1, 4, NEVER_SHOWN].map((product) => uuid(6, 10 * SECRET_ROLES.indexOf(role) + product));
/** The files of both databases, and those of one of them. */
export const SHARED_FILES = [0, 1, 2, 3, 4, 5].map((number) => uuid(1, number));
const filesOf = (database: Database) => [...SHARED_FILES, ...[6, 7].map((number) => uuid(2 + database, number))];

const comment = (id: string, row_id: number, text: string): Row => {
  return { id, row_id, text, author: 'token admin', created_at: '2020-01-01T00:00:00Z' };
};
const product = (id: number, more: Row): Row => ({ id, name: `product ${id}`, price: id, seller: 1, ...more });

export function secretRows(database: Database): Readonly<Record<string, readonly Row[]>> {
  const ids = filesOf(database);
  const contents = ids.map((id, index) => {
    const seed = index < SHARED_FILES.length ? index : index + 10 * database;
    return { id, content: `9${id.slice(1)}`, bytes: gradient(12, 12, seed) };
  });
  const createdAt = '2020-01-01T00:00:00Z';
  const hash = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  return {
    groups: [
      { id: 1, name: 'tea', note: `HIDDEN ${database}` },
      { id: 2, name: `HIDDEN ${database}`, hidden: true },
      { id: 3, name: 'more' },
      { id: MARKED, name: 'marker' },
    ],
    products: [
      product(1, { group_id: 1, image: ids[0]!, cost: 10 + database }),
      product(2, { group_id: 2, seller: 2, draft: ids[1 + database]! }),
      product(3, { group_id: 1, withdrawn: true, name: `HIDDEN ${database}`, image: ids[6]! }),
      product(4, { group_id: 3, pictures: `{${ids[3]}}`, drafts: `{${ids[4 + database]}}` }),
      product(5, { group_id: null, image: ids[0]! }),
      product(6, { withdrawn: true, name: `HIDDEN ${database}`, image: ids[2 + database]! }),
      product(NEVER_SHOWN, { withdrawn: true, name: `HIDDEN ${database}`, image: ids[5 - database]! }),
      product(MARKED, { cost: 10 + database, image: ids[0]! }),
    ],
    product_comments: [
      comment(MARKED_COMMENT, MARKED, 'marker'),
      comment(uuid(5, 1), 1, 'Fine'),
      comment(uuid(5, 3), 3, 'Gone'),
      comment(uuid(5, NEVER_SHOWN), NEVER_SHOWN, `HIDDEN ${database}`),
      ...SECRET_ROLES.flatMap((role) =>
        [1, 4, NEVER_SHOWN].map((row, index) => {
          const text = row === NEVER_SHOWN ? `HIDDEN ${database}` : `mine on ${row}`;
          return { ...comment(ownComments(role)[index]!, row, text), author: `token ${role}` };
        }),
      ),
    ],
    tags: [1, 2, 3].map((id) => ({ id, name: `tag ${id}` })),
    people: [
      { id: MARKED, name: 'marker' },
      { id: 1, name: 'Bob', passport: ids[5 - database]! },
      { id: 2, name: 'Ann', passport: ids[0]! },
    ],
    vault: [{ id: 1, scan: ids[6 + database]!, product_id: 1, note: `HIDDEN ${database}` }],
    catalogue_file_contents: contents.map(({ content, bytes }) => {
      return { id: content, sha256: hash(bytes), size: bytes.length, created_at: createdAt };
    }),
    catalogue_file_chunks: contents.map(({ content, bytes }) => ({ content, position: 0, data: bytes.toHex() })),
    catalogue_files: contents.map(({ id, content, bytes }, index) => ({
      ...{ id, content, name: `${index < 6 ? 'file' : 'HIDDEN'} ${index}.png`, media_type: 'image/png' },
      ...{ size: bytes.length, sha256: hash(bytes), width: 12, height: 12, created_at: createdAt },
    })),
  };
}

type Changes = Readonly<Record<string, unknown>>;
interface BatchEntry {
  readonly method: string;
  readonly path: string;
  readonly body?: Changes | readonly Changes[];
}
/** A write to each of the databases. */
type PairOfWrites = (database: Database) => BatchEntry;

/** The writes, with what they have done so far to visibility. */
export class SecretWriter {
  private readonly withdrawn = new Map<number, boolean>([1, 2, 3, 4, 5, 6].map((id) => [id, id === 3 || id === 6]));
  private readonly hidden = new Map<number, boolean>([1, 2, 3].map((id) => [id, id === 2]));
  private readonly vault = new Set([1]);
  /** Comments with the same text in both databases, unless they are on the product that is never shown. */
  private readonly comments = [uuid(5, 1), uuid(5, 3)];
  private count = 100;

  constructor(private readonly choose: Chooser) {}

  /** A transaction that ends with a change that every feed contains. */
  batch(marker: string): (database: Database) => readonly BatchEntry[] {
    const writes = Array.from({ length: this.choose.number(1, 3) }, () => this.write());
    const marks = [
      ...['people', 'products', 'groups'].map((name) => patch(name, MARKED, { name: marker })),
      patch('product_comments', MARKED_COMMENT, { text: marker }),
    ];
    return (database) => [...writes.map((write) => write(database)), ...marks];
  }

  private write(): PairOfWrites {
    const { choose } = this;
    const number = ++this.count;
    const ids = [...this.withdrawn.keys()];
    const id = choose.one(ids);
    const isWithdrawn = this.withdrawn.get(id)!;
    const secret = (database: Database) => `HIDDEN ${database} ${number}`;
    const cost = (database: Database) => number * 2 + database;
    const secretFile = this.files();
    const shown = { name: `shown ${number}`, price: number, seller: choose.number(1, 2), ...this.shownFiles() };
    const group = choose.one([null, ...this.hidden.keys()]);
    switch (choose.number(0, 14)) {
      case 0:
        return (on) =>
          patch('products', id, { cost: cost(on), draft: secretFile(on), drafts: listOfFiles(secretFile(on)) });
      case 1:
        if (isWithdrawn) {
          return (on) => patch('products', id, { name: secret(on), cost: cost(on), image: secretFile(on) });
        }
        return (on) => patch('products', id, { price: number, cost: cost(on), draft: secretFile(on) });
      case 2:
        this.withdrawn.set(id, !isWithdrawn);
        if (isWithdrawn) return () => patch('products', id, { ...shown, group_id: group, withdrawn: false });
        return (on) =>
          patch('products', id, { withdrawn: true, cost: cost(on), pictures: listOfFiles(secretFile(on)) });
      case 3:
        this.withdrawn.set(number, false);
        return (on) =>
          post('products', { id: number, ...shown, group_id: group, cost: cost(on), draft: secretFile(on) });
      case 4:
        this.withdrawn.set(number, true);
        return (on) => {
          const files = { image: secretFile(on), pictures: listOfFiles(secretFile(on)) };
          return post('products', { id: number, name: secret(on), withdrawn: true, group_id: group, ...files });
        };
      case 5:
        if (ids.length < 5) return (on) => patch('products', id, { cost: cost(on) });
        this.withdrawn.delete(id);
        return () => ({ method: 'DELETE', path: `/products?id=eq.${id}` });
      case 6: {
        const one = choose.one([...this.hidden.keys()]);
        const isHidden = this.hidden.get(one)!;
        if (choose.sometimes(50)) this.hidden.set(one, !isHidden);
        const turns = this.hidden.get(one) !== isHidden;
        if (isHidden && !turns) return (on) => patch('groups', one, { name: secret(on), note: secret(on) });
        if (isHidden) return (on) => patch('groups', one, { hidden: false, name: shown.name, note: secret(on) });
        if (turns) return (on) => patch('groups', one, { hidden: true, note: secret(on) });
        return (on) => patch('groups', one, { name: shown.name, note: secret(on) });
      }
      case 7:
        this.vault.add(number);
        return (on) => post('vault', { id: number, scan: secretFile(on), note: secret(on) });
      case 8: {
        const one = choose.one([...this.vault]);
        return (on) => patch('vault', one, { scan: secretFile(on), note: secret(on) });
      }
      case 9: {
        const one = choose.number(1, 2);
        return (on) => patch('people', one, { passport: secretFile(on), note: secret(on) });
      }
      case 10:
        this.comments.push(uuid(5, number));
        return () => post('product_comments', { id: uuid(5, number), row_id: id, text: shown.name });
      case 11:
        return (on) => post('product_comments', { id: uuid(5, number), row_id: NEVER_SHOWN, text: secret(on) });
      case 12: {
        const one = choose.one(this.comments);
        if (choose.sometimes(60)) return () => patch('product_comments', one, { row_id: id, text: shown.name });
        return (on) => patch('product_comments', one, { row_id: NEVER_SHOWN, text: secret(on) });
      }
      case 13: {
        // The database stores the rows in another order.
        const costs = choose.some(ids, 2).map((each) => ({ id: each, cost: number }));
        return (on) => ({ method: 'PATCH', path: '/products', body: on === 0 ? costs : costs.toReversed() });
      }
      default:
        if (isWithdrawn) return (on) => patch('products', id, { cost: cost(on), price: cost(on) });
        return (on) => patch('products', id, { image: shown.image, pictures: shown.pictures, cost: cost(on) });
    }
  }

  private shownFiles(): { readonly image: string | null; readonly pictures: readonly string[] | null } {
    const { choose } = this;
    const some = (): readonly string[] => choose.some(SHARED_FILES).slice(0, 2);
    return { image: choose.one([null, ...SHARED_FILES]), pictures: choose.sometimes(40) ? null : some() };
  }

  /** Another file in each database, perhaps one that the other does not have. */
  private files(): (database: Database) => string | null {
    const chosen = ([0, 1] as const).map((database) => this.choose.one([null, ...filesOf(database)]));
    return (database) => chosen[database]!;
  }
}

function listOfFiles(id: string | null): readonly string[] {
  return id === null ? [] : [id];
}

function patch(name: string, id: number | string, body: Changes): BatchEntry {
  return { method: 'PATCH', path: `/${name}?id=eq.${id}`, body };
}

function post(name: string, body: Changes): BatchEntry {
  return { method: 'POST', path: `/${name}`, body };
}
