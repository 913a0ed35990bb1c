/** Requests of every kind that a role might try, on rows and fields that it sees and on hidden ones. */
import { OPERATORS, type OperatorName } from '../../../src/dialect/operators.ts';
import type { Chooser } from './embedding-requests.ts';
import { BEGINNING, ROLED, SEES } from './role-model.ts';

export interface RoleRequest {
  readonly path: string;
  readonly init: RequestInit;
}

const NAMES = [...ROLED.collections.keys()];
const fieldsOf = (name: string) => ROLED.collections.get(name)!.fields.map((field) => field.name);

/** Chooses names that the role mostly may use, so that many of its requests succeed, and sometimes any name. */
class Names {
  constructor(
    readonly choose: Chooser,
    readonly role: string,
    private readonly isLikely = choose.sometimes(80),
  ) {}

  collection(): string {
    const seen = Object.keys(SEES[this.role]!);
    if (this.isLikely && seen.length > 0) return this.choose.one(seen);
    return this.choose.one(NAMES);
  }

  /** Chooses a field, sometimes one that does not exist or a misspelt one. */
  field(name: string): string {
    const { choose } = this;
    if (this.isLikely) {
      const seen = this.seenFields(name);
      if (seen.length > 0) return choose.one(seen);
    }
    if (choose.sometimes(3)) return choose.one(['nothing', 'costt', 'disc', 'note']);
    const path = choose.sometimes(5) ? choose.one(['->size', '->>size', '->0']) : '';
    return `${choose.one(fieldsOf(name))}${path}`;
  }

  /** Returns the fields that the role sees in at least one row. */
  private seenFields(name: string): readonly string[] {
    const seen = BEGINNING[name]!.flatMap((row) => SEES[this.role]![name]?.(row) ?? []);
    return [...new Set(seen)];
  }

  /** Chooses an embed: its spelling in the request and its collection. */
  embedding(name: string): readonly [target: string, to: string] | undefined {
    const { choose } = this;
    if (this.isLikely) {
      const ways = (RELATED[name] ?? []).filter(([, to]) => SEES[this.role]![to] !== undefined);
      return ways.length === 0 ? undefined : choose.one(ways);
    }
    const target = choose.one([...NAMES, 'category_id', 'supplier_id', 'parent_id']);
    return [`${target}${choose.one(HINTS)}`, NAMES.includes(target) ? target : choose.one(NAMES)];
  }

  test(name: string, field: string): string {
    const { choose } = this;
    const type = ROLED.collections.get(name)!.byName.get(field)?.type.name;
    if (this.isLikely && isOfTree(name, field) && choose.sometimes(40)) {
      const not = choose.sometimes(20) ? 'not.' : '';
      return `${not}${choose.one(['within', 'above'])}.${choose.one(['1', '2', '3', '4', '500'])}`;
    }
    const fitting = this.isLikely && type !== undefined ? FITTING[type.replace(/\(.*/, '')] : undefined;
    const operator = choose.one(fitting?.operators ?? (Object.keys(OPERATORS) as OperatorName[]));
    const values = fitting?.values ?? VALUES;
    const not = choose.sometimes(20) ? 'not.' : '';
    const { form } = OPERATORS[operator];
    if (form === 'list') {
      const listed = choose.some(values, 1).map((each) => `"${each}"`);
      return `${not}in.(${listed.join(',')})`;
    }
    if (form === 'keyword')
      return `${not}is.${choose.one(fitting?.keywords ?? ['null', 'not_null', 'true', 'false', 'unknown'])}`;
    const value = choose.one(values);
    if (/^i?like$/.test(operator)) return `${not}${operator}.*${value}*`;
    if (operator === 'eq' && choose.sometimes(10)) return `${not}eq(any).{${choose.some(values, 1).join(',')}}`;
    return `${not}${operator}.${value}`;
  }
}

const RELATED: Readonly<Record<string, readonly (readonly [target: string, to: string])[]>> = {
  products: [
    ['categories', 'categories'],
    ['suppliers', 'suppliers'],
    ['category_id', 'categories'],
    ['labels', 'labels'],
    ['product_labels', 'product_labels'],
  ],
  categories: [
    ['products', 'products'],
    ['parent_id', 'categories'],
    ['categories!parent_id', 'categories'],
  ],
  suppliers: [['products', 'products']],
  labels: [
    ['products', 'products'],
    ['product_labels', 'product_labels'],
  ],
  product_labels: [
    ['products', 'products'],
    ['labels', 'labels'],
  ],
};

interface Fitting {
  readonly operators: readonly OperatorName[];
  readonly values: readonly string[];
  readonly keywords: readonly string[];
}

/** Whether a field is the key of the tree of categories, or leads into it. */
function isOfTree(name: string, field: string): boolean {
  return field === 'category_id' || (name === 'categories' && ['id', 'parent_id'].includes(field));
}

const NULLS = ['null', 'not_null'];
const ORDERED: readonly OperatorName[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'is', 'isdistinct'];
const NUMBERS: Fitting = { operators: ORDERED, values: ['0', '1', '2', '3', '5', '500', '4242'], keywords: NULLS };
const FITTING: Readonly<Record<string, Fitting>> = {
  int4: NUMBERS,
  decimal: NUMBERS,
  text: {
    operators: [...ORDERED, 'like', 'ilike', 'match', 'imatch', 'fts', 'plfts', 'phfts', 'wfts'],
    values: ['tea', 'HIDDEN', 'product', 'sku', 'north', 'one', 'x'],
    keywords: NULLS,
  },
  boolean: {
    operators: ['eq', 'neq', 'is'],
    values: ['true', 'false'],
    keywords: [...NULLS, 'true', 'false', 'unknown'],
  },
  date: { operators: ORDERED, values: ['2020-01-03', '4242-01-01'], keywords: NULLS },
  timestamptz: { operators: ORDERED, values: ['2020-01-01T00:00:00Z', '4242-01-01'], keywords: NULLS },
  'text[]': { operators: ['cs', 'cd', 'ov', 'eq', 'is'], values: ['{a}', '{HIDDEN}', '{}', '{a,t1}'], keywords: NULLS },
  json: { operators: ['cs', 'cd', 'eq', 'is'], values: ['{"size": 1}', '{"HIDDEN": 4242}', '{}'], keywords: NULLS },
};

const VALUES = ['0', '1', '2', '3', '8', '4242', 'tea', 'HIDDEN', 'sku-2', 'true', '2020-01-03', 'north', '', '{a}'];
const HINTS = [
  '',
  '',
  '!inner',
  '!left',
  '!category_id',
  '!supplier_id',
  '!product_labels',
  '!products_supplier_id_fkey',
];

function condition(names: Names, name: string, before = ''): string {
  const { choose } = names;
  if (choose.sometimes(20)) {
    const terms = [0, 1].map(() => {
      const field = names.field(name);
      return `${field}.${names
        .test(name, field)
        .replace(/eq\(any\)\./, 'eq.')
        .replaceAll(/[{}]/g, '')}`;
    });
    return `${before}${choose.one(['and', 'or', 'not.and', 'not.or'])}=(${terms.join(',')})`;
  }
  const field = names.field(name);
  return `${before}${field}=${names.test(name, field)}`;
}

function item(names: Names, name: string, depth: number): string {
  const { choose } = names;
  const kind = choose.number(0, 12);
  if (kind <= 4) return choose.one(['*', names.field(name), names.field(name)]);
  if (kind === 5) return `${names.field(name)}.${choose.one(['sum', 'avg', 'count', 'max', 'min'])}()`;
  if (kind === 6) return choose.one(['count()', `${names.field(name)}::text`]);
  const embedding = depth === 0 ? undefined : names.embedding(name);
  if (embedding === undefined) return names.field(name);
  const [target, to] = embedding;
  const inner = Array.from({ length: choose.number(0, 2) }, () => item(names, to, depth - 1)).join(',');
  return `${choose.sometimes(15) ? '...' : ''}${target}${choose.sometimes(20) ? '!inner' : ''}(${inner})`;
}

function query(names: Names, name: string): string {
  const { choose } = names;
  const parts: string[] = [];
  const items = Array.from({ length: choose.number(0, 2) }, () => item(names, name, 2));
  const embedding = choose.sometimes(35) ? names.embedding(name) : undefined;
  if (embedding !== undefined) {
    const [target, to] = embedding;
    items.push(`inside:${target}${choose.sometimes(25) ? '!inner' : ''}(${item(names, to, 1)},*)`);
    const asked = choose.one([
      'filter',
      'filter',
      'order',
      'limit',
      'offset',
      'null',
      'not null',
      'ordered by',
      'ordered by',
      'ordered by',
      'nothing',
    ]);
    if (asked === 'filter') parts.push(condition(names, to, 'inside.'));
    if (asked === 'order') parts.push(`inside.order=${names.field(to)}.desc`);
    if (asked === 'limit') parts.push('inside.limit=1');
    if (asked === 'offset') parts.push('inside.offset=1');
    if (asked === 'null') parts.push('inside=is.null');
    if (asked === 'not null') parts.push('inside=not.is.null');
    if (asked === 'ordered by') parts.push(`order=inside(${names.field(to)})`);
  }
  if (items.length > 0) parts.push(`select=${items.join(',')}`);
  for (let count = choose.number(0, 2); count > 0; count--) parts.push(condition(names, name));
  if (choose.sometimes(30)) {
    const field = names.field(name);
    const depth = isOfTree(name, field) && choose.sometimes(50) ? '(depth)' : '';
    parts.push(`order=${field}${depth}${choose.one(['', '.desc', '.nullsfirst'])}`);
  }
  if (choose.sometimes(25)) parts.push(`limit=${choose.number(0, 3)}`);
  if (choose.sometimes(15)) parts.push(`offset=${choose.number(0, 4)}`);
  return parts.join('&');
}

/** Fields, fields of related rows, and ranges, mostly of the embedding that the query filters. */
function facets(names: Names, name: string): string {
  const { choose } = names;
  const facet = () => {
    const embedding = choose.sometimes(40) ? names.embedding(name) : undefined;
    if (embedding === undefined) {
      const field = names.field(name);
      const tree = isOfTree(name, field) && choose.sometimes(50) ? '(within)' : '';
      return `${field}${tree || (choose.sometimes(20) ? '(1,3,4242)' : '')}`;
    }
    const [target, to] = embedding;
    return `${choose.sometimes(50) ? 'inside' : target.replace(/!.*/, '')}.${names.field(to)}`;
  };
  return [...new Set(Array.from({ length: choose.number(1, 3) }, facet))].join(',');
}

const READ_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { prefer: 'count=exact' },
  { prefer: 'count=planned' },
  { prefer: 'count=estimated' },
  { range: '0-1', prefer: 'count=exact' },
  { range: '1-' },
  { accept: 'text/csv' },
  { accept: 'application/x-ndjson' },
  { accept: 'application/vnd.pgrst.object+json' },
  { accept: 'application/vnd.pgrst.array+json;nulls=stripped' },
  { accept: 'application/vnd.pgrst.plan+json' },
  { 'if-none-match': '*' },
  { 'accept-encoding': 'gzip' },
];

/** Chooses an id that is visible, hidden or missing. */
const anyId = (choose: Chooser) => choose.one(['1', '2', '3', '4', '5', '7', '500', '501', '999', 'x']);

export function chooseRead(choose: Chooser, role: string): RoleRequest {
  const names = new Names(choose, role);
  const known = names.collection();
  const name = choose.sometimes(2) ? choose.one(['nothing', 'secret', 'product']) : known;
  const path = choose.sometimes(25) ? `/${name}/${anyId(choose)}` : `/${name}`;
  const asked = query(names, known);
  if (known === 'products' && choose.sometimes(20)) {
    const value = choose.one(['1', '20', 'north', 'Drinks', 'x']);
    const called = choose.one(['cheap', 'costly', 'in_category', 'of_supplier']);
    return { path: `/rpc/${called}?value=${value}&${asked}`, init: { headers: { ...choose.one(READ_HEADERS) } } };
  }
  if (choose.sometimes(20)) {
    const path = `/${name}?${asked === '' ? '' : `${asked}&`}facets=${facets(names, known)}`;
    return { path, init: { method: 'GET', headers: { accept: 'application/vnd.catalogue.facets+json' } } };
  }
  const method = choose.sometimes(10) ? 'HEAD' : 'GET';
  return { path: asked === '' ? path : `${path}?${asked}`, init: { method, headers: { ...choose.one(READ_HEADERS) } } };
}

/** The fields that each role may write, by permission. */
const WRITES: Readonly<Record<string, readonly (readonly [name: string, fields: readonly string[]])[]>> = {
  supplier: [
    ['products', ['name', 'sku', 'supplier_id', 'category_id']],
    ['products', ['name', 'price', 'attributes', 'supplier_id', 'category_id']],
    ['suppliers', ['region']],
  ],
  mixed: [['products', ['name', 'cost']]],
  editor: [
    ['products', fieldsOf('products')],
    ['products', ['name', 'discontinued', 'price']],
    ['categories', ['name', 'hidden', 'parent_id']],
    ['suppliers', ['name']],
  ],
  writer: [
    ['products', fieldsOf('products')],
    ['labels', ['label']],
  ],
};

const WRITE_HEADERS: readonly string[] = [
  'return=representation',
  'return=representation',
  'return=minimal',
  'return=headers-only',
  'return=representation, count=exact',
  'handling=strict, max-affected=2',
  'missing=default',
  'errors=all',
  'errors=all, missing-rows=ignore',
];

/** Counter for keys that no row has, in either database. */
let fresh = 10_000;

/**
 * Chooses a value to store. Unique fields and references reveal which keys exist, even hidden ones. The value therefore
 * references only visible rows or null, and a unique field gets a new value.
 */
function cell(choose: Chooser, role: string, name: string, field: string): unknown {
  const collection = ROLED.collections.get(name)!;
  const reference = collection.references.find((each) => each.field.name === field);
  if (reference !== undefined) {
    const seen = BEGINNING[reference.to]!.filter((row) => SEES[role]![reference.to]?.(row) !== undefined);
    return choose.one([null, ...seen.map((row) => row.id)]);
  }
  if (field === 'id' || field === 'sku' || (name === 'suppliers' && field === 'name')) {
    fresh++;
    return field === 'id' ? fresh : `new ${fresh}`;
  }
  const { type } = collection.byName.get(field)!;
  if (type.name === 'text') return choose.one(['new', 'tea', 'south', 'x'.repeat(3)]);
  if (type.name === 'int4') return choose.number(0, 3);
  if (type.name === 'boolean') return choose.sometimes(50);
  if (type.name === 'date') return '2020-02-02';
  if (type.name === 'timestamptz') return '2020-02-02T00:00:00Z';
  if (type.name === 'text[]') return ['a'];
  return type.name === 'json' ? { size: 1 } : choose.number(0, 9);
}

/** Returns the key of a row that the role sees (of any row for `all`), or a key that does not exist. */
function keyOf(choose: Chooser, role: string, name: string): Record<string, unknown> {
  const { key } = ROLED.collections.get(name)!;
  const seen = BEGINNING[name]!.filter((row) => role === 'all' || SEES[role]![name]?.(row) !== undefined);
  const row = seen.length === 0 || choose.sometimes(15) ? undefined : choose.one(seen);
  return Object.fromEntries(key.map((field) => [field.name, row?.[field.name] ?? ++fresh]));
}

export function chooseWrite(choose: Chooser, role: string): RoleRequest {
  const names = new Names(choose, role);
  const likely = WRITES[role] ?? [];
  const isLikely = likely.length > 0 && choose.sometimes(75);
  const [name, fields] = isLikely ? choose.one(likely) : ([choose.one(NAMES), undefined] as const);
  // A row to which hidden rows may refer keeps its key.
  const given = (least = 0): Record<string, unknown> => {
    const some = choose.some(fields ?? fieldsOf(name), least).filter((field) => field !== 'id');
    const own = isLikely && name === 'products' && role === 'supplier' ? { supplier_id: 1 } : {};
    const cells = Object.fromEntries(some.map((field) => [field, cell(choose, role, name, field)]));
    return choose.sometimes(60) && 'supplier_id' in cells ? { ...cells, ...own } : cells;
  };
  const prefer = [choose.one(WRITE_HEADERS), ...(choose.sometimes(60) ? ['tx=rollback'] : [])];
  const select = choose.sometimes(40) ? `select=${item(names, name, 1)}` : '';
  const send = (
    method: string,
    path: string,
    body: unknown,
    more: Readonly<Record<string, string>> = {},
  ): RoleRequest => {
    const headers = { 'content-type': 'application/json', prefer: prefer.join(', '), ...more };
    const asked = select === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${select}`;
    return { path: asked, init: { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) } };
  };
  const singular = choose.sometimes(15) ? { accept: 'application/vnd.pgrst.object+json' } : {};
  const ifMatch = choose.sometimes(25) ? { 'if-match': choose.one(['*', '"nothing"']) } : {};
  switch (choose.number(0, 9)) {
    case 0:
      return send('POST', `/${name}`, { ...given(4), ...keyOf(choose, 'nobody', name) }, singular);
    case 1:
      return send('POST', `/${name}`, [{ ...given(4), ...keyOf(choose, 'nobody', name) }]);
    case 2: {
      prefer.push('resolution=merge-duplicates');
      const on = choose.sometimes(20) ? `?on_conflict=${names.field(name)}` : '';
      return send('POST', `/${name}${on}`, { ...given(2), ...keyOf(choose, role, name) });
    }
    case 3: {
      const key = keyOf(choose, role, name);
      const filter = Object.entries(key).map(([field, value]) => `${field}=eq.${value}`);
      return send('PUT', `/${name}?${filter.join('&')}`, { ...given(2), ...key });
    }
    case 4:
      return send('PATCH', `/${name}/${anyId(choose)}`, given(), { ...ifMatch, ...singular });
    case 5:
      // The request also names hidden rows, which must look like missing rows.
      return send('PATCH', `/${name}`, [{ ...given(), ...keyOf(choose, choose.one([role, 'all']), name) }]);
    case 6:
      return send('DELETE', `/${name}/${anyId(choose)}`, undefined, ifMatch);
    case 7:
      return send('DELETE', `/${name}?${condition(names, name)}`, undefined, singular);
    case 8: {
      const bound = choose.sometimes(40) ? `&order=${names.field(name)}&limit=1` : '';
      return send('PATCH', `/${name}?${condition(names, name)}${bound}`, given(1));
    }
    default:
      return send('PATCH', `/${name}?${condition(names, name)}`, given(1), singular);
  }
}

/** Chooses a batch of such writes, some with a value of the first one. */
export function chooseBatch(choose: Chooser, role: string): RoleRequest {
  const isDryRun = choose.sometimes(60);
  const requests = Array.from({ length: choose.number(1, 3) }, (_, index) => {
    const { path, init } = chooseWrite(choose, role);
    const { prefer = '', ...headers } = init.headers as Record<string, string>;
    const body = init.body === undefined ? undefined : JSON.parse(init.body as string);
    if (index > 0 && body !== undefined && choose.sometimes(40)) {
      const row = Array.isArray(body) ? body[0] : body;
      const [field] = Object.keys(row);
      if (field !== undefined) row[field] = { $from: 0, field: choose.one([field, 'id', 'name']) };
    }
    const own = prefer.split(', ').filter((each) => !each.startsWith('tx='));
    return {
      method: init.method,
      path,
      headers: { ...headers, prefer: own.join(', ') },
      ...(body === undefined ? {} : { body }),
      ...(choose.sometimes(30) ? { affects: choose.number(0, 1) } : {}),
    };
  });
  const headers = { 'content-type': 'application/json', ...(isDryRun ? { prefer: 'tx=rollback' } : {}) };
  return { path: '/batch', init: { method: 'POST', headers, body: JSON.stringify(requests) } };
}

/**
 * Generates every way to reach a field of a collection: each position, each operator, and each embed that leads to it.
 */
export function* everyWay(name: string, field: string): Generator<RoleRequest> {
  const { type } = ROLED.collections.get(name)!.byName.get(field)!;
  const { values } = FITTING[type.name.replace(/\(.*/, '')]!;
  const tests = Object.entries(OPERATORS).flatMap(([operator, { form }]) => {
    if (form === 'list') return [`in.(${values.map((each) => `"${each}"`).join(',')})`];
    if (form === 'keyword') return ['is.null', 'not.is.null'];
    return [`${operator}.${values[0]}`, `not.${operator}.${values[1]}`];
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): RoleRequest => ({
    path,
    init: { method: 'GET', headers },
  });
  const places = [
    `select=${field}`,
    `select=${field}::text`,
    `select=*,${field}->>size`,
    `select=${field}.count(),${field}.max()`,
    `select=${field},count()`,
    `order=${field}`,
    `order=${field}.desc&limit=2`,
    `or=(${field}.is.null,${field}.eq.${values[0]})`,
    `not.and=(${field}.not.is.null)`,
    `${field}=eq(any).{${values.slice(0, 2).join(',')}}`,
    ...tests.map((test) => `${field}=${test}`),
  ];
  for (const place of places) yield get(`/${name}?${place}`);
  yield get(`/${name}?${field}=not.is.null`, { prefer: 'count=exact', range: '0-0' });
  yield get(`/${name}?select=${field}`, { accept: 'text/csv' });
  for (const [from, ways] of Object.entries(RELATED)) {
    for (const [target, to] of ways) {
      if (to !== name) continue;
      const inside = [
        `select=in:${target}(${field})`,
        `select=in:${target}(*)&in.${field}=not.is.null`,
        `select=in:${target}!inner()&in.${field}=eq.${values[0]}`,
        `select=in:${target}(*)&in.order=${field}.desc&in.limit=1`,
        `select=in:${target}(*)&order=in(${field})`,
        `select=in:${target}()&in=is.null&in.${field}=eq.${values[0]}`,
        `select=in:${target}(${field}.max(),count())`,
        `select=...${target}(${field}),count()`,
        `select=...${target}(${field})`,
      ];
      for (const each of inside) yield get(`/${from}?${each}`);
    }
  }
  yield* everyWrite(name, field, values[0]!);
}

/** Generates writes that name the field. None of them is stored, and new rows have unique values. */
function* everyWrite(name: string, field: string, value: string): Generator<RoleRequest> {
  const { key, byName } = ROLED.collections.get(name)!;
  const json = /^(int4|decimal)/.test(byName.get(field)!.type.name) ? Number(value) : value;
  const keyed = (number: number) => Object.fromEntries(key.map((each) => [each.name, number]));
  const write = (method: string, path: string, body?: unknown, prefer = ''): RoleRequest => ({
    path,
    init: {
      method,
      headers: { 'content-type': 'application/json', prefer: `tx=rollback, return=representation${prefer}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  });
  const isFree = !key.some((each) => each.name === field) && !/^(sku|name|.*_id)$/.test(field);
  const merge = ', resolution=merge-duplicates';
  yield write('PATCH', `/${name}?${field}=not.is.null`, isFree ? { [field]: json } : {});
  yield write('PATCH', `/${name}?${key[0]!.name}=gt.0&select=${field}`, isFree ? { [field]: json } : {});
  yield write('PATCH', `/${name}?order=${field}&limit=1`, isFree ? { [field]: json } : {});
  for (const id of [1, 2, 5, 500]) {
    if (isFree) yield write('PATCH', `/${name}/${id}`, { [field]: json });
    if (isFree) yield write('PATCH', `/${name}`, [{ ...keyed(id), [field]: json }]);
  }
  yield write('DELETE', `/${name}?${field}=not.is.null&select=${field}`);
  yield write('DELETE', `/${name}?${field}=eq.${value}`);
  yield write('POST', `/${name}?columns=${field}`, { ...keyed(9000), [field]: isFree ? json : null });
  yield write('POST', `/${name}?on_conflict=${field}`, { ...keyed(9000), [field]: isFree ? json : null }, merge);
  yield write('POST', `/${name}?select=${field}`, {
    ...keyed(9000),
    name: 'new',
    ...(isFree ? { [field]: json } : {}),
  });
}
