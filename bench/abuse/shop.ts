/**
 * The second attacked service: a declared catalogue with files, history and roles. Anonymous callers may read it, the
 * bystander is an administrator, and some attackers are editors.
 */
import { SignJWT } from 'jose';
import { pictureOf } from '../../test/support/pictures.ts';
import { JWT_SECRET } from '../fixtures.ts';
import { type Server, startService } from '../servers.ts';
import { Target } from './target.ts';

const COLLECTIONS = {
  categories: { fields: { id: 'int4', name: 'text' } },
  products: {
    fields: {
      id: 'int4',
      name: 'text',
      units_in_stock: 'int4',
      note: 'text',
      category_id: { type: 'int4', references: 'categories' },
      document: 'file',
      image: 'image',
    },
    search: { fields: { name: 2, note: 1 }, language: 'english' },
  },
  notes: { fields: { id: 'int4', body: 'text' } },
  orders: { fields: { id: 'int4', body: 'text' } },
};
const READ = { read: true };
const LOG_FIELDS = ['seq', 'at', 'role', 'request_id', 'collection', 'key', 'kind', 'before', 'after'];
const ROLES = {
  anonymous: { categories: READ, products: READ, notes: READ, changes: { read: { fields: LOG_FIELDS } } },
  editor: { products: { read: true, create: true, update: true }, orders: { create: true } },
  administrator: 'all',
};

export const QUOTA_MEGABYTES = 300;
export const SHOP_PRODUCTS = 20_000;
/** Fewer than one undo may contain. */
const NOTES = 4_800;
const CHANGES = 500_000;
const ROWS_A_REQUEST = 5_000;
const DOCUMENT_BYTES = 20_000_000;
/** A noisy picture of this side has about 20 MB. */
const PICTURE_SIDE = 2_600;
const NOTE = 'the quick brown fox jumps over the lazy dog '.repeat(5);

interface Paths {
  readonly document: string;
  readonly picture: string;
}

export class Shop extends Target {
  private longLog: Promise<string> | undefined;

  constructor(
    server: Server,
    readonly paths: Paths,
    /** The header of an administrator. */
    private readonly authorization: string,
  ) {
    super(server, SHOP_PRODUCTS);
  }

  /** Makes a log of many changes at the first call. Resolves to a time before them. */
  beforeLongLog(): Promise<string> {
    this.longLog ??= this.makeLongLog();
    return this.longLog;
  }

  private async makeLongLog(): Promise<string> {
    const before = new Date().toISOString();
    for (let changes = 0; changes < CHANGES; changes += SHOP_PRODUCTS) {
      for (let first = 0; first < SHOP_PRODUCTS; first += ROWS_A_REQUEST) {
        const path = `/products?id=gt.${first}&id=lte.${first + ROWS_A_REQUEST}`;
        await request(this.server, this.authorization, 'PATCH', path, { units_in_stock: changes });
      }
    }
    return before;
  }

  /** The megabytes of all files. */
  async storedMegabytes(): Promise<number> {
    const headers = { authorization: this.authorization };
    const response = await fetch(`${this.server.url}/files?select=sha256,size`, { headers });
    const files = (await response.json()) as { sha256: string; size: number }[];
    // Equal bytes are stored once. Each row counts 4 KiB.
    const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
    return (sizes.values().reduce((sum, size) => sum + size, 0) + files.length * 4096) / 1024 ** 2;
  }
}

/** The Authorization header of a user. */
export async function authorizationOf(role: string, user: string): Promise<string> {
  const token = new SignJWT({ role, sub: user }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1d');
  return `Bearer ${await token.sign(new TextEncoder().encode(JWT_SECRET))}`;
}

/** Starts the shop on an empty database, and fills it. */
export async function startShop(database: string, declaration: string, flags: readonly string[]): Promise<Shop> {
  await Bun.write(declaration, JSON.stringify({ collections: COLLECTIONS, roles: ROLES }));
  const settings = ['--collections', declaration, '--jwt-secret', JWT_SECRET];
  const quota = ['--max-total-file-mb', String(QUOTA_MEGABYTES)];
  const server = await startService(database, { flags: [...settings, ...quota, ...flags], pinned: false });
  const authorization = await authorizationOf('administrator', 'filler');
  const store = async (collection: string, count: number, row: (id: number) => object) => {
    for (let first = 1; first <= count; first += ROWS_A_REQUEST) {
      const length = Math.min(ROWS_A_REQUEST, count - first + 1);
      const rows = Array.from({ length }, (_, index) => ({ id: first + index, ...row(first + index) }));
      await request(server, authorization, 'POST', `/${collection}`, rows);
    }
  };
  await store('categories', 50, (id) => ({ name: `Category ${id}` }));
  const product = (id: number) => ({
    name: `Product ${id}`,
    units_in_stock: 0,
    note: NOTE,
    category_id: 1 + (id % 50),
  });
  await store('products', SHOP_PRODUCTS, product);
  await store('notes', NOTES, (id) => ({ body: `Note ${id} ${NOTE}` }));
  const noise = crypto.getRandomValues.bind(crypto);
  const rows = Buffer.alloc((1 + PICTURE_SIDE * 3) * PICTURE_SIDE);
  for (let y = 0; y < PICTURE_SIDE; y++)
    noise(rows.subarray(y * (1 + PICTURE_SIDE * 3) + 1, (y + 1) * (1 + PICTURE_SIDE * 3)));
  const put = async (field: string, type: string, body: Uint8Array<ArrayBuffer>) => {
    const headers = { authorization, 'content-type': type };
    const response = await fetch(`${server.url}/products/1/${field}`, { method: 'PUT', headers, body });
    const { id } = (await response.json()) as { id: string };
    return `/files/${id}/${field}`;
  };
  const document = await put('document', 'application/octet-stream', new Uint8Array(DOCUMENT_BYTES).fill(1));
  const picture = await put('image', 'image/png', pictureOf(PICTURE_SIDE, PICTURE_SIDE, rows));
  return new Shop(server, { document, picture }, authorization);
}

async function request(server: Server, authorization: string, method: string, path: string, body: unknown) {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
