/**
 * A shop in which references and the time hide rows, in two versions that differ only in hidden rows, and requests of
 * its roles. Hidden rows have keys from 100 on; those up to 103 exist in both versions, so that both can change them.
 */
import type { Row } from '../../../src/collection/value.ts';
import { declaredBy } from '../engines/roles.ts';
import { sendJson } from '../stories.ts';
import type { Chooser } from './embedding-requests.ts';
import type { RoleRequest } from './role-requests.ts';

const LIVE = 'status=eq.live&or=(category_id.is.null,categories.hidden.is.false)';
const OF_LIVE = 'products.status=eq.live&products.or=(category_id.is.null,categories.hidden.is.false)';
const NOW = 'valid_from=lte.{now}&or=(valid_to.is.null,valid_to.gt.{now})';
const OWN = 'orders.customer_id=eq.{claims.customer_id}';

export const PATH_SECRETS = declaredBy(`
collections:
  categories: { fields: { id: int4, name: text, hidden: { type: boolean, required: true, default: false } } }
  products:
    search: { fields: { name: 2, category_id.name: 1 }, language: english }
    fields: { id: int4, name: text, status: { type: text, required: true, default: live }, category_id: { type: int4, references: categories } }
  prices:
    fields: { id: int4, product_id: { type: int4, references: products }, amount: int4, valid_from: timestamptz, valid_to: timestamptz }
  orders: { fields: { id: int4, customer_id: int4, status: { type: text, required: true, default: open } } }
  order_lines:
    fields: { id: int4, order_id: { type: int4, references: orders }, product_id: { type: int4, references: products }, quantity: int4 }
queries:
  current: { read: 'prices?valid_from=lte.{now}&order=id' }
roles:
  anonymous: &visible
    call: [current]
    changes: { read: true }
    categories: { read: { where: 'hidden=is.false' } }
    products: { read: { where: '${LIVE}' } }
    prices: { read: { where: '${OF_LIVE}&${NOW}' } }
  customer:
    <<: *visible
    orders: { read: { where: 'customer_id=eq.{claims.customer_id}' } }
    order_lines:
      read: { where: '${OWN}' }
      create: { where: '${OWN}&products.status=eq.live' }
      update: { where: '${OWN}&products.status=eq.live', fields: [quantity, order_id, product_id] }
      delete: true
  admin: all
`);

export const PATH_ROLES = { anonymous: {}, customer: { customer_id: 1 } } as const;

const DAY = 86_400_000;
/** The same for both versions. */
const START = Date.now();
const time = (days: number) => new Date(START + days * DAY).toISOString();

type Rows = Readonly<Record<string, readonly Row[]>>;

/** `version` chooses the values of hidden rows, and whether further ones exist. */
export function pathRows(choose: Chooser): Rows {
  const name = () => `secret ${choose.number(0, 9)}`;
  const hidden = (make: (id: number) => Row): Row[] =>
    [100, 101, 102, 103, ...choose.some([104, 105, 106, 107])].map(make);
  const product = () => choose.one([1, 2, 3, 100, 101]);
  const unseen = (id: number): Row => {
    const [from, to] = choose.one([
      [1, 2],
      [1, null],
      [-2, -1],
    ] as const);
    const product_id = choose.one([1, 2, 3]);
    return { id, product_id, amount: choose.number(1, 9), valid_from: time(from), valid_to: to && time(to) };
  };
  return {
    categories: [{ id: 1, name: 'Tents', hidden: false }, ...hidden((id) => ({ id, name: name(), hidden: true }))],
    products: [
      ...[1, 2, 3].map((id) => ({ id, name: `p${id}`, status: 'live', category_id: id === 3 ? null : 1 })),
      ...hidden((id) => {
        // A rule of writes tests the status, so it is the same in both versions. A missing product is no live one.
        const isDraft = id > 103 || id % 2 === 0;
        const status = isDraft ? 'draft' : 'live';
        return { id, name: name(), status, category_id: isDraft ? choose.one([null, 1]) : choose.one([100, 101]) };
      }),
    ],
    prices: [
      ...[1, 2, 3].map((id) => ({ id, product_id: id, amount: id, valid_from: time(-1), valid_to: null })),
      ...hidden((id) =>
        id % 2 === 0
          ? unseen(id)
          : { id, product_id: choose.one([100, 101]), amount: 5, valid_from: time(-1), valid_to: null },
      ),
    ],
    orders: [
      { id: 1, customer_id: 1, status: 'open' },
      { id: 2, customer_id: 1, status: 'sent' },
      ...hidden((id) => ({ id, customer_id: choose.one([2, 3, null]), status: choose.one(['open', 'sent']) })),
    ],
    order_lines: [
      { id: 1, order_id: 1, product_id: 1, quantity: 1 },
      { id: 2, order_id: 2, product_id: 2, quantity: 2 },
      ...hidden((id) => ({ id, order_id: choose.one([100, 101, 102]), product_id: product(), quantity: id % 7 })),
    ],
  };
}

/** Writes of an administrator: the same to visible rows in both versions, others to hidden ones. */
export function chooseWrites(choose: Chooser, marker: string): (version: number) => readonly object[] {
  const patch = (path: string, body: object) => ({ method: 'PATCH', path, body });
  const hidden = () => choose.number(100, 103);
  const secrets = Array.from({ length: 4 }, () => {
    const [id, values] = [hidden(), [0, 1].map(() => choose.number(1, 9))];
    return choose.one<(version: number) => object>([
      (version) => patch(`/products?id=eq.${id}`, { name: `secret ${marker}${values[version]}` }),
      (version) => patch(`/prices?id=eq.${id}`, { amount: 1000 + 10 * id + values[version]! }),
      (version) => patch(`/order_lines?id=eq.${id}`, { quantity: 1000 + 10 * id + values[version]! }),
      (version) => patch(`/categories?id=eq.${id}`, { name: `secret ${marker}${values[version]}` }),
    ]);
  });
  const id = choose.number(1, 3);
  const visible = [
    patch('/products?id=eq.1', { name: marker }),
    patch('/prices?id=eq.1', { amount: choose.number(1, 999) }),
    patch(`/products?id=eq.${id}`, { category_id: choose.one([null, 1]) }),
    patch('/order_lines?id=eq.1', { product_id: id, quantity: choose.number(1, 99) }),
  ];
  const last = patch('/products?id=eq.1', { name: marker });
  return (version) => [...visible, ...secrets.map((secret) => secret(version)), last];
}

const SHAPES: Readonly<Record<string, readonly string[]>> = {
  categories: ['*', 'id,name,products(id,name)', 'id,products(prices(amount))', 'count()'],
  products: [
    '*',
    'id,prices(*)',
    'id,categories(name)',
    'id,prices!inner(amount)',
    'status,count()',
    'id,prices(count())',
  ],
  prices: ['*', 'id,products(name,categories(name))', 'amount.sum(),product_id', 'id,products!inner(id)'],
  orders: ['*', 'id,order_lines(quantity,products(name))', 'id,order_lines!inner(id)', 'status,count()'],
  order_lines: ['*', 'id,orders(status)', 'quantity.sum()', 'id,products(name,prices(amount))'],
};
const FACETS: typeof SHAPES = {
  categories: ['name', 'hidden', 'products.status', 'products.id(2,100)'],
  products: ['category_id', 'status', 'name', 'prices.amount', 'categories.name'],
  prices: ['product_id', 'amount(2,100)', 'valid_from', 'products.name'],
  orders: ['customer_id', 'status', 'order_lines.product_id'],
  order_lines: ['order_id', 'product_id', 'quantity', 'orders.status', 'products.category_id'],
};
/** Words of visible and of hidden rows, also misspelt and incomplete. */
const WORDS = ['p1', 'tents', 'tentz', 'secret', 'secrte', 'sec', '-p2', 'or', 'marker'];
const KEYS = [1, 2, 3, 100, 101, 103, 105, 107, 999];

/** A read, or a write of a customer, which has keys of its own and refers to any row. */
export function choosePathRequest(choose: Chooser, role: string): RoleRequest {
  const names = Object.keys(SHAPES).filter((name) => role === 'customer' || !name.startsWith('order'));
  const key = () => choose.one(KEYS);
  if (role === 'customer' && choose.sometimes(30)) return chooseWrite(choose, key);
  const name = choose.one(names);
  const get = (path: string, headers: Record<string, string> = {}): RoleRequest => ({
    path,
    init: { method: 'GET', headers },
  });
  if (choose.sometimes(15)) return get(`/${name}/${key()}`);
  if (choose.sometimes(15)) {
    const filters = [
      `collection=eq.${name}`,
      `key=eq.${key()}`,
      'kind=eq.update',
      'before=not.is.null',
      'after->>amount=gt.3',
    ];
    const shape = choose.one(['seq,collection,key,kind,before,after', 'kind,count()', 'key,seq.max()']);
    return get(`/changes?${[`select=${shape}`, ...choose.some(filters)].join('&')}`);
  }
  if (choose.sometimes(5)) return get('/rpc/current?select=id,amount');
  const filters = [
    `id=${choose.one(['eq', 'gt', 'lt', 'neq'])}.${key()}`,
    ...(name === 'products' || name === 'categories' ? ['name=ilike.*secret*', 'name=fts.secret'] : []),
    ...(name === 'products' ? [`search=wfts.${choose.some(WORDS, 1).join('+')}`] : []),
    ...(name === 'prices' ? ['valid_from=gt.now', 'amount=gte.2', 'valid_to=is.null', `product_id=eq.${key()}`] : []),
    ...(name === 'order_lines' ? [`order_id=eq.${key()}`, `product_id=in.(${key()},${key()})`] : []),
  ];
  const parts = [`select=${choose.one(SHAPES[name]!)}`, ...choose.some(filters)];
  if (choose.sometimes(30)) parts.push(`limit=${choose.number(0, 3)}`, `offset=${choose.number(0, 2)}`);
  if (choose.sometimes(30)) {
    const facets = choose.some(FACETS[name]!, 1).join(',');
    return get(`/${name}?${parts.join('&')}&facets=${facets}`, { accept: 'application/vnd.catalogue.facets+json' });
  }
  return get(`/${name}?${parts.join('&')}`, choose.sometimes(40) ? { prefer: 'count=exact' } : {});
}

let written = 10_000;

function chooseWrite(choose: Chooser, key: () => number): RoleRequest {
  const cells = { order_id: key(), product_id: key(), quantity: choose.number(0, 9) };
  const headers = choose.sometimes(50) ? { prefer: 'return=representation' } : {};
  const errors = choose.sometimes(20) ? { prefer: 'errors=all' } : headers;
  return choose.one<() => RoleRequest>([
    () => ({ path: '/order_lines', init: sendJson('POST', { id: ++written, ...cells }, headers) }),
    () => ({
      path: '/order_lines',
      init: sendJson(
        'POST',
        [
          { id: ++written, ...cells },
          { id: ++written, ...cells, order_id: 1 },
        ],
        errors,
      ),
    }),
    () => ({ path: `/order_lines?id=eq.${key()}`, init: sendJson('PATCH', { order_id: key() }, headers) }),
    () => ({ path: '/order_lines', init: sendJson('PATCH', [{ id: key(), product_id: key() }], errors) }),
    () => ({ path: `/order_lines/${key()}`, init: sendJson('PATCH', { quantity: 3 }, headers) }),
    () => ({ path: `/order_lines?quantity=eq.${choose.number(0, 6)}`, init: { method: 'DELETE', headers } }),
  ])();
}
