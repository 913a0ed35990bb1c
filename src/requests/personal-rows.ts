/**
 * Rows that belong to one caller: stored views, and presence. The stages of other collections serve them, on a
 * collection and with permissions made for the caller. Answers are not cached, since callers of one role differ.
 */
import { defined } from '../base/defined.ts';
import { ApiError, onError } from '../base/errors.ts';
import { MAX_PERSONAL_BODY_BYTES, MAX_PERSONAL_ROWS, PRESENCE_SECONDS } from '../base/limits/http.ts';
import { ANONYMOUS, ownerOf } from '../collection/access/caller.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import { type Catalogue, type Collection, declareCollection } from '../collection/declaration.ts';
import type { Right } from '../collection/draft.ts';
import { PERSONAL_COLLECTIONS, PRESENCE } from '../collection/own-collections.ts';
import { storeJson } from '../collection/types/type.ts';
import { encodeRows } from '../encode/encoding.ts';
import type { Engine } from '../engine/engine.ts';
import { countRows, RowStore } from '../engine/row-store.ts';
import type { Answer } from '../http/answer.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import { optionsAnswer } from '../http/methods.ts';
import { findRows, methodsOf, routeOf } from '../http/rows.ts';
import { OWN_PATH, type Target } from '../http/target.ts';
import { andAlso, type Permissions } from '../plan/access/permissions.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { type Comparator, NEVER, type Predicate } from '../plan/types.ts';
import type { RequestContext } from '../response/request-context.ts';
import { ConfigError } from '../settings/setting.ts';
import { type ReadSource, readRows } from './read.ts';
import { write } from './write.ts';

type PersonalTarget = Extract<Target, { kind: 'personal' }>;

export function personalRows(
  database: Engine,
  catalogue: Catalogue,
): (target: PersonalTarget, context: RequestContext) => Promise<Answer> {
  const bodies = new BodyReceiver(MAX_PERSONAL_BODY_BYTES);
  return async (target, context) => {
    const { call } = context;
    const table = PERSONAL_COLLECTIONS.get(target.name)!;
    const engine = (table === PRESENCE ? database.transient : undefined) ?? database;
    const visible = context.access?.permissions?.catalogue ?? catalogue;
    const collection = collectionFor(table, visible, ownerOf(context.caller ?? ANONYMOUS));
    const builtIn = new Map([[target.name, collection]]);
    const rows = findRows(call, { ...visible, builtIn }, target.rows);
    context.route = routeOf(rows);
    if (call.method === 'OPTIONS') return optionsAnswer(call, methodsOf(rows));
    const permissions = permissionsOf(collection, visible, context, catalogue.roles !== undefined);
    context.access = { permissions, scope: context.access?.scope ?? '' };
    if (call.isRead) {
      const source = (await engine.ownTables([table], { make: false })) ? engine : withoutRows(engine);
      return readRows({ engine: source, maxRows: 0 }, rows, context);
    }
    await makeTable(engine, table);
    // Nobody waits for this: it may be a costly write. Reads leave expired rows out.
    if (table === PRESENCE) void removeExpired(engine).catch(() => undefined);
    if (call.method === 'POST' || call.method === 'PUT') await checkNumber(engine, collection, permissions);
    const { prefix, path } = call.location;
    const below = call.at({ prefix: prefix + OWN_PATH, path });
    return write({ engine, bodies, files: undefined, allowUnfiltered: false }, rows, context, below);
  };
}

/** The collection for one caller: new rows belong to the owner and are about collections that the caller reads. */
function collectionFor({ draft, fields }: Collection, visible: Catalogue, owner: string | undefined): Collection {
  const oneOf = [...visible.collections.values()].filter(isReadable).map(({ name }) => name);
  const terms: Readonly<Record<string, object>> = { collection: { oneOf }, owner: { default: owner } };
  const own = draft.fields.map((field) => ({ ...field, ...terms[field.name] }));
  return declareCollection({ ...draft, fields: own }, undefined, Math.max(...fields.map(({ maxBytes }) => maxBytes)));
}

function isReadable({ view }: Collection): boolean {
  return view === undefined || view.rights.includes('read');
}

/**
 * Everybody reads and changes own rows. Shared views are readable; a role with every right changes them. Presence is
 * readable to callers who read every row of the collection, since it names rows.
 */
function permissionsOf(
  collection: Collection,
  visible: Catalogue,
  context: RequestContext,
  hasRoles: boolean,
): Permissions {
  const of = (name: string) => fieldExpression(collection.byName.get(name)!);
  const among = (test: (each: Collection) => boolean): Predicate => {
    const values = [...visible.collections.values()].filter(test).map(({ name }) => name);
    return values.length === 0 ? NEVER : { kind: 'in', of: of('collection'), values };
  };
  const owner = ownerOf(context.caller ?? ANONYMOUS);
  const ownerIs: Predicate =
    owner === undefined
      ? { kind: 'null', of: of('owner') }
      : { kind: 'compare', of: of('owner'), operator: '=', value: owner };
  const own = owner === undefined && hasRoles ? NEVER : ownerIs;
  const readable = collection.byName.has('shared')
    ? andAlso(among(isReadable), { kind: 'any', terms: [own, { kind: 'truth', of: of('shared'), value: true }] })
    : andAlso(seen(collection, '>'), {
        kind: 'any',
        terms: [own, among(({ view }) => view === undefined || view.readsAll)],
      });
  const changeable = hasRoles && context.access?.permissions === undefined ? readable : own;
  return {
    catalogue: visible,
    differByField: false,
    manages: new Set(),
    rows: (_collection: Collection, right: Right) => {
      if (right === 'read') return readable;
      if (own === NEVER) throw tableDenied(collection.name, right);
      return right === 'create' ? own : changeable;
    },
  };
}

/** Compares the last sign of life with the oldest one that counts. */
function seen({ byName }: Collection, operator: Comparator): Predicate {
  const field = byName.get('seen')!;
  const oldest = new Date(Date.now() - PRESENCE_SECONDS * 1000).toISOString();
  return { kind: 'compare', of: fieldExpression(field), operator, value: storeJson(field.type, oldest) };
}

async function removeExpired(engine: Engine): Promise<void> {
  const store = new RowStore(engine);
  await store.execute([store.deletion(PRESENCE, seen(PRESENCE, '<='))]);
}

async function makeTable(engine: Engine, table: Collection): Promise<void> {
  const make = () => engine.ownTables([table], { make: true });
  await onError(ConfigError, make, () => {
    throw new ApiError('CAT501', `this database has no table ${table.name}`, {
      details: 'The database role of the service may not create it; nothing was stored.',
    });
  });
}

/** A person cannot fill the database. A request may exceed the limit by the rows of one body. */
async function checkNumber(engine: Engine, collection: Collection, permissions: Permissions): Promise<void> {
  const where = permissions.rows(collection, 'create');
  const total = await countRows(engine, collection, { where, isLookup: true });
  if (total < MAX_PERSONAL_ROWS) return;
  throw new ApiError('54000', `${collection.name} has ${total} rows of yours, which is the limit`, {
    hint: 'Delete some of them first.',
  });
}

/** While the table does not exist, a read finds no rows. */
function withoutRows({ log, hasPositions }: Engine): ReadSource {
  const read: Engine['read'] = ({ count }, encoding) => {
    const body = encodeRows([], encoding, 'json');
    return count === undefined ? { returned: 0, body } : { returned: 0, total: 0, body };
  };
  return defined({ read, log, hasPositions });
}
