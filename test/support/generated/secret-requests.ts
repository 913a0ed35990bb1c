/**
 * Requests of the roles of `hidden-history.ts`: reads of every kind, dry runs of writes, files and their signed
 * addresses, agents, comments, stored views, presence, and a view of the database.
 */
import { sendJson } from '../stories.ts';
import type { Chooser } from './embedding-requests.ts';
import { type Database, NEVER_SHOWN, ownComments, SECRET_ROLES, SHARED_FILES, uuid } from './hidden-history.ts';
import type { RoleRequest } from './role-requests.ts';

/** A request that may differ between the databases, and may use the answer to the previous one. */
export interface Step {
  /** Another caller than the role: an administrator with secrets, or nobody, without credentials. */
  readonly as?: 'admin' | 'nobody';
  readonly request: (database: Database, previous: string) => RoleRequest;
}

interface Asked {
  readonly choose: Chooser;
  readonly role: string;
  /** Moments between the writes. */
  readonly times: readonly string[];
  /** A position near the end of the log. */
  readonly last: number;
  /** Whether the request names only what every role may use. */
  readonly isLikely: boolean;
}

/** How many turns each kind has, and its requests. */
const KINDS: Readonly<Record<string, readonly [weight: number, steps: (asked: Asked) => readonly Step[]]>> = {
  log: [3, (asked) => get(`/changes?${queryOf(asked, 'changes')}`)],
  undo: [1, undoOf],
  write: [1, writeOf],
  file: [2, fileOf],
  list: [2, (asked) => get(pathOf(asked), asked.choose.one(['', 'count=exact']))],
  'earlier rows': [2, (asked) => get(pathOf(asked), `as-of=${asked.choose.one(asked.times)}`)],
  files: [3, (asked) => get(`/files?${queryOf(asked, 'files')}`)],
  'signed address': [2, signedOf],
  agent: [3, agentOf],
  comment: [2, commentOf],
  'stored view': [2, storedViewOf],
  presence: [1, presenceOf],
  'view of the database': [
    2,
    (asked) => get(`/offers?${queryOf(asked, 'offers')}`, asked.choose.one(['', 'count=exact'])),
  ],
};

/** The kinds of requests on an engine. Only PostgreSQL has views. */
export function kindsOf(engine: string): readonly string[] {
  return Object.keys(KINDS).filter((kind) => kind !== 'view of the database' || engine === 'PostgreSQL');
}

/** The order of kinds, so that each has its share also in a short run. */
export function turnsOf(kinds: readonly string[]): readonly string[] {
  return kinds.flatMap((kind) => Array<string>(KINDS[kind]![0]).fill(kind));
}

/** Chooses requests of a kind. */
export function chooseSteps(kind: string, asked: Omit<Asked, 'isLikely'>): readonly Step[] {
  return KINDS[kind]![1]({ ...asked, isLikely: asked.choose.sometimes(60) });
}

const same = (path: string, init: RequestInit): Step => ({ request: () => ({ path, init }) });

function get(path: string, prefer = ''): readonly Step[] {
  return [same(path, { method: 'GET', headers: prefer === '' ? {} : { prefer } })];
}

function pathOf(asked: Asked): string {
  const { choose, isLikely } = asked;
  const shown = ['people', 'products', 'product_comments'];
  const name = choose.one(isLikely ? shown : ['groups', 'vault', ...shown]);
  return `/${name}${choose.sometimes(25) ? `/${choose.number(1, 8)}` : ''}?${queryOf(asked, name)}`;
}

const DRY_RUN = { prefer: 'tx=rollback, return=representation' };

/** Undoes changes of others, or of the role itself: its agent writes tags. */
function undoOf({ choose, last, isLikely }: Asked): readonly Step[] {
  const name = choose.one(isLikely ? ['tags', 'people', 'product_comments', 'tags'] : ['groups', 'vault', 'products']);
  const filter = choose.one([`collection=eq.${name}&key=eq.1`, `seq=eq.${last - choose.number(0, 9)}`, 'seq=gt.1']);
  return [
    same(`/changes/undo?${name === 'tags' ? 'collection=eq.tags' : filter}`, { method: 'POST', headers: DRY_RUN }),
  ];
}

function writeOf({ choose }: Asked): readonly Step[] {
  const body = { image: choose.one([...SHARED_FILES, uuid(2, 6), uuid(3, 6)]) };
  return [same(`/products?id=eq.${choose.number(1, 7)}`, sendJson('PATCH', body, DRY_RUN))];
}

function fileOf({ choose }: Asked): readonly Step[] {
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
  return [same(`/files/${id}${rest}`, { method, headers })];
}

/** Signs the address of a file, and reads it without credentials: as it is, in another size, or forged. */
function signedOf({ choose, isLikely }: Asked): readonly Step[] {
  const hidden = [...SHARED_FILES, uuid(2, 6), uuid(3, 6), uuid(3, 7), uuid(9, 9)];
  const id = choose.one(isLikely ? SHARED_FILES.slice(0, 1) : hidden);
  const other = choose.one(hidden);
  const lifetime = isLikely ? '1h' : choose.one(['1h', '7d', '8d', 'x']);
  const change = choose.one<(url: string) => string>([
    (url) => url,
    (url) => `${url}&width=64`,
    (url) => url.replace(id, other),
    (url) => url.replace(/\/[^/]*\?/, '/x.png?'),
    (url) => url.replace(/expires=\d+/, 'expires=1'),
    (url) => url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    (url) => url,
  ]);
  const method = choose.sometimes(25) ? 'HEAD' : 'GET';
  const range: Record<string, string> = choose.sometimes(20) ? { range: 'bytes=0-9' } : {};
  const forged = `/files/${id}/x.png?expires=4102444800&signature=${'A'.repeat(43)}`;
  return [
    same(`/files/${id}/sign?expires=${lifetime}`, { method: 'POST' }),
    {
      as: 'nobody',
      request: (_, previous) => {
        const { url = forged } = JSON.parse(previous) as { url?: string };
        return { path: change(url), init: { method, headers: range } };
      },
    },
  ];
}

/** A comment on any product, or a change of any comment, as a dry run. */
function commentOf(asked: Asked): readonly Step[] {
  const { method, path, body } = commentWrite(asked);
  return [same(path, sendJson(method, body, DRY_RUN))];
}

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

function commentWrite({ choose, role }: Asked): Write {
  const id = choose.one([...ownComments(role), ...ownComments(role), uuid(5, 1), uuid(5, 3), uuid(5, NEVER_SHOWN)]);
  const row_id = choose.one([1, 1, 2, 3, 4, 6, NEVER_SHOWN, 999]);
  return choose.one<Write>([
    { method: 'POST', path: '/product_comments', body: { id: uuid(7, choose.number(1, 9)), row_id, text: 'new' } },
    { method: 'PATCH', path: `/product_comments?id=eq.${id}`, body: { text: 'other' } },
    { method: 'PATCH', path: `/product_comments?row_id=eq.${row_id}`, body: { text: 'other' } },
    { method: 'PATCH', path: `/product_comments?id=eq.${id}`, body: { row_id } },
    { method: 'DELETE', path: `/product_comments?id=eq.${id}` },
  ]);
}

/** Messages of an agent. Writes that it carries out change no list that a feed follows, and it takes them back. */
function agentOf(asked: Asked): readonly Step[] {
  const { choose, isLikely } = asked;
  const session = uuid(7, choose.number(1, 9));
  const send = (method: string, params: object): RoleRequest => ({
    path: '/mcp',
    init: sendJson('POST', { jsonrpc: '2.0', id: 1, method, params }, { 'mcp-session-id': session }),
  });
  const call = (name: string, given: object) => send('tools/call', { name, arguments: given });
  const always = (request: RoleRequest): Step => ({ request: () => request });
  const kind = choose.number(0, 9);
  if (kind === 0) return [always(choose.one([send('tools/list', {}), call('describe', {})]))];
  if (kind < 6) {
    const shown = ['people', 'products', 'product_comments', 'changes', 'changes'];
    const collection = choose.one(isLikely ? shown : ['groups', 'vault', 'files', ...shown]);
    return [always(call('read', { collection, query: queryOf(asked, collection) }))];
  }
  const write = kind < 9 ? agentWrite(asked) : { method: 'POST', path: '/tags', body: { id: 50, name: 'new' } };
  const preview = always(call('write', { requests: [write] }));
  if (kind < 9) return [preview];
  const commit: Step = {
    request: (_, previous) => call('commit', { token: /token is (\w+)/.exec(previous)?.[1] ?? 'none' }),
  };
  return [preview, commit, always(call('read', { collection: 'tags' })), always(call('undo', {}))];
}

function agentWrite(asked: Asked): Write {
  const { choose } = asked;
  const body = { image: choose.one([...SHARED_FILES, uuid(2, 6), uuid(3, 6)]) };
  return choose.one([
    commentWrite(asked),
    { method: 'PATCH', path: `/products?id=eq.${choose.number(1, 7)}`, body },
    { method: 'PATCH', path: `/people?id=eq.${choose.number(1, 3)}`, body: { name: 'agent' } },
    { method: 'DELETE', path: `/tags?id=eq.${choose.number(1, 4)}` },
  ]);
}

/** Views of an administrator: private, of a collection that nobody reads, and shared. */
const VIEWS = [11, 12, 13].map((number) => uuid(8, number));
const VIEW_FIELDS = ['*', 'id,name,owner', 'name,definition', 'collection,definition->>query', 'count()'];
const VIEW_FILTERS = [
  'name=like.*HIDDEN*',
  'shared=is.true',
  'owner=eq.token admin',
  'collection=neq.vault',
  'order=name',
];
const UPSERT = { prefer: 'resolution=merge-duplicates' };

function storedViewOf({ choose, role, isLikely }: Asked): readonly Step[] {
  const own = uuid(8, SECRET_ROLES.indexOf(role));
  const hidden = (id: string, collection: string, on: Database) => {
    const text = `HIDDEN ${on} ${choose.number(1, 99)}`;
    return { id, collection, name: text, shared: collection === 'vault', definition: { query: text } };
  };
  const rows = ([0, 1] as const).map((on) => [
    hidden(VIEWS[0]!, on === 0 ? 'people' : 'products', on),
    hidden(VIEWS[1]!, 'vault', on),
    { id: VIEWS[2]!, collection: 'products', name: 'shared', shared: true, definition: { query: 'id=gt.1' } },
  ]);
  const id = choose.one(isLikely ? [own, VIEWS[2]!] : [own, ...VIEWS, uuid(8, 99)]);
  const collection = choose.one(isLikely ? ['products', 'people'] : ['vault', 'groups', 'nothing', 'products']);
  const view = { id: own, collection, name: 'mine', definition: {}, shared: choose.sometimes(50) };
  const query = [`select=${choose.one(VIEW_FIELDS)}`, ...choose.some(VIEW_FILTERS).slice(0, 2)].join('&');
  const change = choose.one([
    same('/views', sendJson('POST', view, UPSERT)),
    same('/views', sendJson('POST', view, UPSERT)),
    same(`/views?id=eq.${id}`, sendJson('PATCH', { name: `changed ${choose.number(1, 9)}` })),
    same(`/views/${id}`, { method: 'DELETE' }),
  ]);
  const list = choose.sometimes(25) ? `/views/${id}` : `/views?${query}`;
  return [
    { as: 'admin', request: (on) => ({ path: '/views', init: sendJson('POST', rows[on], UPSERT) }) },
    ...(choose.sometimes(60) ? [change] : []),
    ...get(list, choose.one(['', 'count=exact'])),
  ];
}

/** Every row is stored again each time, since rows disappear without signs of life. */
function presenceOf({ choose, role, isLikely }: Asked): readonly Step[] {
  const own = uuid(4, SECRET_ROLES.indexOf(role));
  const others = [11, 12, 13].map((number) => uuid(4, number));
  const rows = (on: Database) => [
    { id: others[0], collection: 'tags', key: '1' },
    { id: others[1], collection: on === 0 ? 'people' : 'products', key: `HIDDEN ${on}` },
    { id: others[2], collection: 'vault', key: `HIDDEN ${on}` },
  ];
  const collection = choose.one(isLikely ? ['products', 'tags'] : ['vault', 'groups', 'products']);
  const mine = { id: own, collection: 'products', key: '1' };
  const change = choose.one([
    same('/presence', sendJson('POST', { ...mine, collection, key: `${choose.number(1, 7)}` }, UPSERT)),
    same(`/presence/${choose.one([own, ...others, uuid(4, 99)])}`, { method: 'DELETE' }),
  ]);
  const fields = choose.one(['*', 'collection,key,owner', 'id', 'count()']);
  const filters = choose.some(['collection=eq.products', 'key=like.*HIDDEN*', 'order=key', 'key=eq.1']).slice(0, 2);
  return [
    { as: 'admin', request: (on) => ({ path: '/presence', init: sendJson('POST', rows(on), UPSERT) }) },
    same('/presence', sendJson('POST', mine, UPSERT)),
    ...(choose.sometimes(50) ? [change] : []),
    ...get(`/presence?${[`select=${fields}`, ...filters].join('&')}`, choose.one(['', 'count=exact'])),
  ];
}

/** The names that every role may use; likely requests name nothing else. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  products: ['id', 'name', 'id', 'name'],
  people: ['id', 'name'],
  product_comments: ['id', 'row_id', 'text', 'author'],
  offers: ['number', 'name'],
  files: ['id', 'name', 'media_type', 'size', 'sha256'],
  changes: ['seq', 'role', 'collection', 'key', 'kind', 'before', 'after', 'before->>name', 'after->>cost'],
};
/** Without the times of comments, which differ. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  products: ['id', 'name', 'price', 'cost', 'withdrawn', 'seller', 'group_id', 'image', 'draft', 'pictures', 'drafts'],
  groups: ['id', 'name', 'hidden', 'note'],
  people: ['id', 'name', 'passport', 'note'],
  vault: ['id', 'scan', 'note'],
  product_comments: SEEN.product_comments!,
  offers: ['number', 'name', 'price', 'cost', 'withdrawn', 'seller', 'group_id', 'group_name'],
  files: [...SEEN.files!, 'width', 'created_by'],
  changes: [...SEEN.changes!, 'actor'],
};
/** The field that requests for related rows name, if there is no name. */
const TITLES: Readonly<Record<string, string>> = { product_comments: 'text', vault: 'note' };
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
    ['product_comments', 'product_comments'],
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
  product_comments: [
    ['products', 'products'],
    ['row_id', 'products'],
  ],
  offers: [['groups', 'groups']],
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

/** The log is read without the times of changes, which differ. */
function queryOf({ choose, last, isLikely }: Asked, name: string): string {
  const fieldOf = (of: string) => choose.one((isLikely ? SEEN[of] : undefined) ?? FIELDS[of]!);
  const isLog = name === 'changes';
  const selected = [
    choose.one(isLog ? ['seq', 'seq,kind,before,after', fieldOf(name)] : ['*', fieldOf(name), fieldOf(name)]),
  ];
  const parts: string[] = [];
  if (!isLog && choose.sometimes(60)) {
    const [target, to] = choose.one(RELATED[name]!);
    const title = TITLES[to] ?? 'name';
    const inner = choose.sometimes(25) ? '!inner' : '';
    const further = choose.sometimes(30) ? RELATED[to]! : [];
    const nested = further.length === 0 ? '' : `,${choose.one(further)[0]}(id)`;
    const shown = choose.one(['id', title, '*', `id,${title}`, 'count()']);
    selected.push(`in:${target}${inner}(${shown === 'count()' ? shown : `${shown}${nested}`})`);
    const test = `in.${title}=${choose.one(isLikely ? NULL_TESTS : TESTS)}`;
    if (choose.sometimes(40))
      parts.push(choose.one(['in=not.is.null', 'in=is.null', test, 'in.limit=1', `order=in(${title})`]));
  }
  if (choose.sometimes(35)) parts.push(`${fieldOf(name)}=${choose.one(isLikely ? NULL_TESTS : TESTS)}`);
  if (isLog && choose.sometimes(50)) parts.push(`seq=gt.${last - choose.number(0, 20)}`);
  if (isLog && choose.sometimes(20))
    parts.push(`collection=eq.${choose.one(['product_comments', 'products', 'vault'])}`);
  if (choose.sometimes(30) && !parts.some((part) => part.startsWith('order=')))
    parts.push(`order=${fieldOf(name)}.desc`);
  if (choose.sometimes(20)) parts.push(`limit=${choose.number(1, 4)}`);
  return [`select=${selected.join(',')}`, ...parts].join('&');
}
