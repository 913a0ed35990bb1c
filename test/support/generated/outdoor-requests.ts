/** Requests of strangers to the outdoor shop: reads of every kind, and dry runs of writes and of the action. */
import type { Chooser } from './embedding-requests.ts';
import { ANY_FILES, SECRET_OUTDOOR_SHOP } from './outdoor-secrets.ts';
import type { RoleRequest } from './role-requests.ts';

/** Fields that visitors see. Likely requests name nothing else. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  categories: ['name', 'parent'],
  products: ['id', 'sku', 'name', 'category', 'maker', 'description', 'description_de', 'image'],
  variants: ['product_id', 'variant'],
  prices: ['id', 'product_id', 'amount'],
};
/** Fields that customers see in addition. */
const SEEN_BY_CUSTOMERS: typeof SEEN = {
  ...SEEN,
  customers: ['id', 'name', 'email'],
  orders: ['id', 'customer_id', 'placed_at'],
  order_lines: ['id', 'order_id', 'product_id', 'variant', 'quantity', 'amount'],
};
const LOG = ['seq', 'role', 'collection', 'key', 'kind', 'before', 'after', 'before->>name', 'after->>amount', 'actor'];
const FILES = ['id', 'name', 'media_type', 'size', 'sha256'];
const ALL: typeof SEEN = {
  ...Object.fromEntries(
    [...SECRET_OUTDOOR_SHOP.collections].map(([name, { fields }]) => [name, fields.map((f) => f.name)]),
  ),
  files: FILES,
};

const RELATED: Readonly<Record<string, readonly string[]>> = {
  categories: ['products', 'categories'],
  products: ['variants', 'prices', 'categories', 'order_lines', 'image', 'files'],
  variants: ['products', 'stock', 'order_lines'],
  prices: ['products', 'order_lines'],
  stock: ['variants'],
  customers: ['orders'],
  orders: ['customers', 'order_lines'],
  order_lines: ['orders', 'products', 'variants', 'prices', 'products!product_id'],
  files: ['products', 'products!image'],
};
const collectionOf = (related: string) => (related === 'image' ? 'files' : related.replace(/!.*/, ''));

/** Words of visible and of hidden products, also misspelt and incomplete. */
const WORDS = [
  'tent',
  'tnet',
  'ridge',
  'pack',
  'HIDDEN',
  'hiddne',
  'hid',
  'S-1',
  'pinewod',
  '-dome',
  'or',
  '"down+bag"',
];
const NUMBERS = ['1', '2', '3', '7', '9', '10', '11', '12', '13', '20', '50', '4242', '4243'];
const TEXTS = ['*HIDDEN*', '*e*', 'green', 'HIDDEN 0', '*shown*', 'Tents', 'en'];
const TIMES = ['now', '2020-01-01', '2026-01-01', '2099-01-01', '4242-01-01'];

function testOf(choose: Chooser, name: string, field: string): string {
  const type = SECRET_OUTDOOR_SHOP.collections.get(name)?.byName.get(field)?.type.name ?? 'text';
  const not = choose.sometimes(20) ? 'not.' : '';
  if (choose.sometimes(15)) return `${not}is.null`;
  const compared = choose.one(['eq', 'neq', 'gt', 'gte', 'lt', 'lte']);
  if (/^(int4|decimal)/.test(type)) {
    if (choose.sometimes(25)) return `${not}in.(${choose.some(NUMBERS, 1)})`;
    return `${not}${compared}.${choose.one(NUMBERS)}`;
  }
  if (type === 'timestamptz') return `${not}${compared}.${choose.one(TIMES)}`;
  if (/^(text|uuid)/.test(type) && field !== 'image') {
    const operator = choose.one(['like', 'ilike', 'eq', 'gt', 'lt', 'fts', 'match']);
    return `${not}${operator}.${choose.one(TEXTS).replaceAll('*', operator.endsWith('like') ? '*' : '')}`;
  }
  return `${not}is.null`;
}

class Asked {
  constructor(
    readonly choose: Chooser,
    readonly seen: typeof SEEN,
    private readonly isLikely = choose.sometimes(80),
  ) {}

  collection(): string {
    return this.choose.one(Object.keys(this.isLikely ? this.seen : ALL));
  }

  field(name: string): string {
    const fields = (this.isLikely ? this.seen[name] : undefined) ?? ALL[name]!;
    return this.choose.one(fields);
  }

  private related(name: string): string | undefined {
    const { choose } = this;
    const all = RELATED[name] ?? [];
    const likely = all.filter((each) => collectionOf(each) in this.seen || collectionOf(each) === 'files');
    const from = this.isLikely ? likely : all;
    return from.length === 0 ? undefined : choose.one(from);
  }

  private figure(name: string): string {
    const functions = ['sum()', 'avg()', 'count()', 'count(distinct)', 'max()', 'min()'];
    return this.choose.one([`${this.field(name)}.${this.choose.one(functions)}`, 'count()']);
  }

  condition(name: string, before = ''): string {
    const { choose } = this;
    const test = () => {
      const field = this.field(name);
      return [field, testOf(choose, name, field)] as const;
    };
    if (!choose.sometimes(25)) return `${before}${test().join('=')}`;
    const logic = choose.one(['or', 'and', 'not.or', 'not.and']);
    return `${before}${logic}=(${test().join('.')},${test().join('.')})`;
  }

  private item(name: string, depth: number): string {
    const { choose } = this;
    const kind = choose.number(0, 9);
    if (kind < 4) return choose.one(['*', this.field(name), this.field(name)]);
    if (kind === 4) return `${this.field(name)}.${choose.one(['sum', 'avg', 'count', 'max', 'min'])}()`;
    if (kind === 5) return 'count()';
    const target = depth === 0 ? undefined : this.related(name);
    if (target === undefined) return this.field(name);
    const inside = Array.from({ length: choose.number(1, 2) }, () => this.item(collectionOf(target), depth - 1));
    return `${choose.sometimes(10) ? '...' : ''}${target}${choose.sometimes(25) ? '!inner' : ''}(${inside})`;
  }

  query(name: string): string {
    const { choose } = this;
    const items = Array.from({ length: choose.number(0, 2) }, () => this.item(name, 2));
    const parts: string[] = [];
    const target = choose.sometimes(45) ? this.related(name) : undefined;
    if (target !== undefined) {
      const to = collectionOf(target);
      items.push(`in:${target}${choose.sometimes(25) ? '!inner' : ''}(${this.item(to, 1)},${this.field(to)})`);
      parts.push(
        ...choose.one([
          [this.condition(to, 'in.')],
          [this.condition(to, 'in.'), 'in=not.is.null'],
          [`in.order=${this.field(to)}.desc`, 'in.limit=1'],
          [`order=in(${this.field(to)})`],
          [`order=in(${this.figure(to)})`],
          [`in.${this.figure(to)}=${choose.one(['gt', 'lte', 'eq', 'not.is'])}.${choose.one(NUMBERS)}`],
          ['in=is.null'],
          ['in=not.is.null'],
          [],
        ]),
      );
    }
    if (items.length > 0) parts.push(`select=${items}`);
    for (let count = choose.number(0, 2); count > 0; count--) parts.push(this.condition(name));
    if (name === 'products' && choose.sometimes(40)) {
      parts.push(`search=${choose.one(['wfts', 'wfts', 'plfts', 'phfts'])}.${choose.some(WORDS, 1).join('+')}`);
      if (items.length === 0) parts.push('select=id,name,search,search->highlight');
      if (choose.sometimes(20)) parts.push('search=gt.1000');
    }
    if (choose.sometimes(30) && !parts.some((part) => part.startsWith('order='))) {
      parts.push(`order=${this.field(name)}${choose.one(['', '.desc', '.nullsfirst'])}`);
    }
    if (choose.sometimes(25)) parts.push(`limit=${choose.number(0, 4)}`);
    if (choose.sometimes(15)) parts.push(`offset=${choose.number(0, 4)}`);
    return parts.join('&');
  }

  /** Fields, fields of related rows, and ranges, mostly of the embedding that the query filters. */
  facets(name: string): string {
    const { choose } = this;
    const facet = () => {
      if (name === 'products' && choose.sometimes(25)) return 'search->words';
      const target = choose.sometimes(40) ? this.related(name) : undefined;
      if (target === undefined) return `${this.field(name)}${choose.sometimes(20) ? '(1,10,4242)' : ''}`;
      return `${choose.sometimes(40) ? 'in' : target.replace(/!.*/, '')}.${this.field(collectionOf(target))}`;
    };
    return [...new Set(Array.from({ length: choose.number(1, 3) }, facet))].join(',');
  }
}

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...[{}, {}, {}, { prefer: 'count=exact' }, { prefer: 'count=planned' }, { prefer: 'count=estimated' }],
  ...[{ range: '0-1', prefer: 'count=exact' }, { accept: 'text/csv' }, { accept: 'application/x-ndjson' }],
  ...[{ accept: 'application/vnd.pgrst.object+json' }, { 'if-none-match': '*' }, { 'accept-encoding': 'gzip' }],
  ...[{ accept: 'application/vnd.pgrst.plan+json' }, { accept: 'text/tab-separated-values' }, { accept: WORKBOOK }],
  ...[{ 'accept-language': 'de' }, { 'accept-language': 'fr, de;q=0.5', prefer: 'count=exact' }],
];

/** `times` are moments between the writes, `last` a position near the end of the log. */
export function chooseOutdoorRequest(
  choose: Chooser,
  role: string,
  times: readonly string[],
  last: number,
): RoleRequest {
  const seen = ['customer', 'regular'].includes(role) ? SEEN_BY_CUSTOMERS : SEEN;
  const asked = new Asked(choose, seen);
  const name = asked.collection();
  const headers = { ...choose.one(HEADERS) };
  const method = choose.sometimes(10) ? 'HEAD' : 'GET';
  const item = ['products', 'prices', 'orders', 'order_lines', 'customers'].includes(name) && choose.sometimes(15);
  const path = `/${name}${item ? `/${choose.one(NUMBERS)}` : ''}?${asked.query(name)}`;
  // The others mostly read what they may.
  const hasLog = ['watcher', 'regular'].includes(role) || choose.sometimes(10);
  switch (choose.number(hasLog ? 0 : 4, 15)) {
    case 0:
    case 1:
      return { path: `/changes?${logQuery(choose, last)}`, init: { method, headers } };
    case 2:
    case 3:
      return { path, init: { method, headers: { prefer: `as-of=${choose.one(times)}` } } };
    case 4:
      return fileRequest(choose, asked);
    case 5:
    case 6:
      return actionRequest(choose);
    case 7:
      return writeRequest(choose, last);
    case 8:
    case 9: {
      const facets = `/${name}?${asked.query(name)}&facets=${asked.facets(name)}`;
      const past = hasLog && choose.sometimes(20) ? { prefer: `as-of=${choose.one(times)}` } : {};
      return { path: facets, init: { headers: { accept: 'application/vnd.catalogue.facets+json', ...past } } };
    }
    default:
      return { path, init: { method, headers } };
  }
}

/** The log is read without the times of changes, which differ. */
function logQuery(choose: Chooser, last: number): string {
  const parts = [`select=${choose.one(['seq', 'seq,collection,key,kind,before,after', choose.one(LOG), 'count()'])}`];
  const name = choose.one([...SECRET_OUTDOOR_SHOP.collections.keys()]);
  if (choose.sometimes(50)) parts.push(`collection=eq.${name}`);
  if (choose.sometimes(30)) parts.push(`key=eq.${choose.one(NUMBERS)}`);
  if (choose.sometimes(30)) parts.push(`${choose.one(LOG.slice(1, 9))}=${choose.one(['is.null', 'not.is.null'])}`);
  if (choose.sometimes(15)) parts.push(`after->>name=like.${choose.one(TEXTS)}`);
  if (choose.sometimes(40)) parts.push(`seq=gt.${last - choose.number(0, 30)}`);
  if (choose.sometimes(20)) parts.push(`limit=${choose.number(1, 5)}`);
  return parts.join('&');
}

function fileRequest(choose: Chooser, asked: Asked): RoleRequest {
  const id = choose.one(ANY_FILES);
  const path = choose.one([`/files/${id}/x.png`, `/files/${id}/x.png?width=64`, `/files/${id}`, '/files?']);
  const query = path === '/files?' ? asked.query('files') : '';
  return { path: `${path}${query}`, init: { method: choose.sometimes(25) ? 'HEAD' : 'GET' } };
}

function dryRun(method: string, path: string, body: unknown, prefer = ''): RoleRequest {
  const headers = { 'content-type': 'application/json', prefer: `tx=rollback${prefer}` };
  return { path, init: { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) } };
}

function actionRequest(choose: Chooser): RoleRequest {
  const lines = Array.from({ length: choose.number(1, 3) }, () => {
    const product = choose.one([1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 99]);
    const price = choose.sometimes(60) ? product : choose.one([1, 2, 10, 20, 21, 22, 30, 101, 104, 999]);
    const variant = choose.one(['green', 'regular', 'black', 'red', 'one size', 'HIDDEN 0', 'HIDDEN 1', 'x']);
    return { product, variant, price, quantity: choose.one([1, 2, 3, 99, 0, -1, 'x']) };
  });
  return dryRun('POST', '/rpc/place_order', { lines }, choose.one(['', ', errors=all']));
}

/** Writes that nobody here may do. Their errors must not depend on hidden rows. */
function writeRequest(choose: Chooser, last: number): RoleRequest {
  const id = choose.one([1, 2, 3, 4, 5, 10, 12, 20, 50, 99]);
  const line = { order_id: id, product_id: choose.one([1, 10, 12]), variant: 'green', price_id: id, quantity: 1 };
  const shown = ', return=representation';
  switch (choose.number(0, 7)) {
    case 0:
      return dryRun('POST', '/order_lines', line, shown);
    case 1:
      return dryRun('POST', '/order_lines?on_conflict=id', { id, ...line }, `${shown}, resolution=merge-duplicates`);
    case 2:
      return dryRun('PATCH', `/orders/${id}`, { customer_id: 1 }, shown);
    case 3:
      return dryRun('DELETE', `/products?id=eq.${id}`, undefined, shown);
    case 4:
      return dryRun('PUT', `/prices?id=eq.${id}`, { id, product_id: 1, amount: 1, valid_from: '2020-01-01' }, shown);
    case 5:
      return dryRun('PATCH', `/stock?product_id=eq.${id}`, { pieces: { increment: 1 } });
    case 6:
      return dryRun('POST', '/batch', [{ method: 'PATCH', path: `/products?id=eq.${id}`, body: { name: 'x' } }]);
    default:
      return dryRun(
        'POST',
        `/changes/undo?${choose.one([`seq=eq.${last - choose.number(0, 9)}`, 'seq=gt.1'])}`,
        undefined,
      );
  }
}
