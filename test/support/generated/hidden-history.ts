/**
 * A shop whose secrets no role but admin reads: withdrawn products, hidden groups, costs, drafts, passports, a vault.
 * Two databases get the same writes except for secrets. The writes log the same number of changes in both, since gaps
 * between positions are visible.
 */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from '../engines/roles.ts';
import { gradient } from '../pictures.ts';
import type { Chooser } from './embedding-requests.ts';
import type { RoleRequest } from './role-requests.ts';

export const SECRET_SHOP = declaredBy(`
collections:
  groups:
    fields:
      id: int4
      name: { type: text, required: true }
      hidden: { type: boolean, required: true, default: false }
      note: text
  products:
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
roles:
  visitor:
    products: { read: { where: 'withdrawn=is.false', fields: [id, name, price, group_id, image, pictures] } }
    groups: { read: { where: 'hidden=is.false', fields: [id, name] } }
    people: { read: { fields: [id, name] } }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  seller:
    products:
      read: { where: 'withdrawn=is.false&seller=eq.{claims.seller}', fields: [id, name, price, seller, group_id, image, pictures] }
      update: { fields: [name, price, image, pictures] }
    people: { read: { fields: [id, name] }, update: { fields: [name] } }
    changes: { read: { fields: [seq, at, role, request_id, collection, key, kind, before, after] } }
  mixed:
    include: [visitor]
    products: { read: { where: 'withdrawn=is.false&seller=eq.{claims.seller}', fields: [id, name, seller, withdrawn] } }
  admin: all
`);

export const SECRET_ROLES = ['visitor', 'seller', 'mixed'];
export const SELLER = { seller: 1 } as const;
/** Marks every secret text. */
export const SECRET = /HIDDEN/;

type Database = 0 | 1;

/** A row that every role always sees, in each collection but the vault. */
const MARKED = 90;

const uuid = (kind: number, number: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** The files of both databases, and those of one of them. */
const SHARED_FILES = [0, 1, 2, 3, 4, 5].map((number) => uuid(1, number));
const filesOf = (database: Database) => [...SHARED_FILES, ...[6, 7].map((number) => uuid(2 + database, number))];

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
      product(MARKED, { cost: 10 + database }),
    ],
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
  readonly body?: Changes;
}
/** A write to each of the databases. */
type PairOfWrites = (database: Database) => BatchEntry;

/** The writes, with what they have done so far to visibility. */
export class SecretWriter {
  private readonly withdrawn = new Map<number, boolean>([1, 2, 3, 4, 5, 6].map((id) => [id, id === 3 || id === 6]));
  private readonly hidden = new Map<number, boolean>([1, 2, 3].map((id) => [id, id === 2]));
  private readonly vault = new Set([1]);
  private count = 100;

  constructor(private readonly choose: Chooser) {}

  /** A transaction that ends with a change that every feed contains. */
  batch(marker: string): (database: Database) => readonly BatchEntry[] {
    const writes = Array.from({ length: this.choose.number(1, 3) }, () => this.write());
    const marks = ['people', 'products', 'groups'].map((name) => patch(name, MARKED, { name: marker }));
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
    switch (choose.number(0, 10)) {
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

function patch(name: string, id: number, body: Changes): BatchEntry {
  return { method: 'PATCH', path: `/${name}?id=eq.${id}`, body };
}

function post(name: string, body: Changes): BatchEntry {
  return { method: 'POST', path: `/${name}`, body };
}

/** The names that every role may use; likely requests name nothing else. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  products: ['id', 'name', 'id', 'name'],
  people: ['id', 'name'],
  files: ['id', 'name', 'media_type', 'size', 'sha256'],
  changes: ['seq', 'role', 'collection', 'key', 'kind', 'before', 'after', 'before->>name', 'after->>cost'],
};
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  products: ['id', 'name', 'price', 'cost', 'withdrawn', 'seller', 'group_id', 'image', 'draft', 'pictures', 'drafts'],
  groups: ['id', 'name', 'hidden', 'note'],
  people: ['id', 'name', 'passport', 'note'],
  vault: ['id', 'scan', 'note'],
  files: [...SEEN.files!, 'width', 'created_by'],
  changes: [...SEEN.changes!, 'actor'],
};
/** Embeddings and the collection that they lead to. */
const RELATED: Readonly<Record<string, readonly (readonly [target: string, to: string])[]>> = {
  products: [
    ...([
      ['image', 'files'],
      ['pictures', 'files'],
      ['groups', 'groups'],
      ['draft', 'files'],
    ] as const),
    ...([
      ['drafts', 'files'],
      ['vault', 'vault'],
      ['files', 'files'],
      ['files!draft', 'files'],
    ] as const),
  ],
  groups: [
    ['products', 'products'],
    ['files', 'files'],
  ],
  people: [
    ['passport', 'files'],
    ['files', 'files'],
  ],
  vault: [
    ['scan', 'files'],
    ['products', 'products'],
  ],
  files: [
    ...([
      ['products!image', 'products'],
      ['products!pictures', 'products'],
      ['people', 'people'],
    ] as const),
    ...([
      ['people!passport', 'people'],
      ['products!draft', 'products'],
      ['vault', 'vault'],
    ] as const),
    ...([
      ['products!drafts', 'products'],
      ['vault!scan', 'vault'],
      ['people_passport_fkey', 'people'],
    ] as const),
  ],
  changes: [],
};
const TESTS = ['not.is.null', 'is.null', 'like.*HIDDEN*', 'ilike.*shown*', 'neq.x', 'eq.1', 'in.(1,2,3)', 'gt.2'];
/** The tests that suit fields of every type. */
const NULL_TESTS = TESTS.slice(0, 2);

/** Chooses a read of any kind. `times` are moments between the writes, `last` a position near the end of the log. */
export function chooseSecretRead(choose: Chooser, times: readonly string[], last: number): RoleRequest {
  const isLikely = choose.sometimes(60);
  const query = (name: string) => queryOf(choose, name, last, isLikely);
  const name = choose.one(isLikely ? ['people', 'products'] : ['groups', 'vault', 'people', 'products']);
  const path = () => `/${name}${choose.sometimes(25) ? `/${choose.number(1, 8)}` : ''}?${query(name)}`;
  switch (choose.number(0, 12)) {
    case 0:
    case 1:
    case 2:
      return get(`/changes?${query('changes')}`);
    case 3:
      return undoOf(choose, name, last);
    case 4:
      return writeOf(choose);
    case 5:
    case 6:
      return fileOf(choose);
    case 7:
      return get(path(), choose.one(['', 'count=exact']));
    case 8:
    case 9:
      return get(path(), `as-of=${choose.one(times)}`);
    default:
      return get(`/files?${query('files')}`);
  }
}

function get(path: string, prefer = ''): RoleRequest {
  return { path, init: { method: 'GET', headers: prefer === '' ? {} : { prefer } } };
}

const DRY_RUN = { 'content-type': 'application/json', prefer: 'tx=rollback, return=representation' };

function undoOf(choose: Chooser, name: string, last: number): RoleRequest {
  const filter = choose.one([`seq=eq.${last - choose.number(0, 9)}`, `collection=eq.${name}&key=eq.1`, 'seq=gt.1']);
  return { path: `/changes/undo?${filter}`, init: { method: 'POST', headers: DRY_RUN } };
}

function writeOf(choose: Chooser): RoleRequest {
  const body = JSON.stringify({ image: choose.one([...SHARED_FILES, uuid(2, 6), uuid(3, 6)]) });
  return { path: `/products?id=eq.${choose.number(1, 6)}`, init: { method: 'PATCH', headers: DRY_RUN, body } };
}

/** The log is read without the times of changes, which differ. */
function queryOf(choose: Chooser, name: string, last: number, isLikely: boolean): string {
  const fieldOf = (of: string) => choose.one((isLikely ? SEEN[of] : undefined) ?? FIELDS[of]!);
  const isLog = name === 'changes';
  const selected = [choose.one(isLog ? ['seq', 'seq,kind,before,after', fieldOf(name)] : ['*', fieldOf(name), 'id'])];
  const parts: string[] = [];
  if (!isLog && choose.sometimes(60)) {
    const [target, to] = choose.one(RELATED[name]!);
    const inner = choose.sometimes(25) ? '!inner' : '';
    const further = choose.sometimes(30) ? RELATED[to]! : [];
    const nested = further.length === 0 ? '' : `,${choose.one(further)[0]}(id)`;
    const shown = choose.one(['id', 'name', '*', 'id,name', 'count()']);
    selected.push(`in:${target}${inner}(${shown === 'count()' ? shown : `${shown}${nested}`})`);
    const test = `in.name=${choose.one(isLikely ? NULL_TESTS : TESTS)}`;
    if (choose.sometimes(40))
      parts.push(choose.one(['in=not.is.null', 'in=is.null', test, 'in.limit=1', 'order=in(name)']));
  }
  if (choose.sometimes(35)) parts.push(`${fieldOf(name)}=${choose.one(isLikely ? NULL_TESTS : TESTS)}`);
  if (isLog && choose.sometimes(50)) parts.push(`seq=gt.${last - choose.number(0, 20)}`);
  if (choose.sometimes(30) && !parts.some((part) => part.startsWith('order=')))
    parts.push(`order=${fieldOf(name)}.desc`);
  if (choose.sometimes(20)) parts.push(`limit=${choose.number(1, 4)}`);
  return [`select=${selected.join(',')}`, ...parts].join('&');
}

function fileOf(choose: Chooser): RoleRequest {
  const id = choose.one([...SHARED_FILES, uuid(2, 6), uuid(3, 6), uuid(3, 7)]);
  const headers: Record<string, string> = choose.sometimes(20) ? { range: 'bytes=0-9' } : {};
  const method = choose.sometimes(25) ? 'HEAD' : 'GET';
  const rest = choose.one([
    '/x.png',
    '/x.png?width=64',
    '',
    '?select=name,products!image(id)',
    '?select=name,people(id)',
  ]);
  return { path: `/files/${id}${rest}`, init: { method, headers } };
}
