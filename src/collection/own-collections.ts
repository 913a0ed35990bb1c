/**
 * The service's own collections: API keys, users, sessions, webhooks, stored views and presence. The same plans read
 * and write them, but they are not part of a catalogue. Requests reach only `PERSONAL_COLLECTIONS`, and
 * `SERVED_ACCOUNTS` without their secrets. Their tables are created on first use.
 */
import { MAX_PRESENCE_KEY_LENGTH, MAX_VIEW_BYTES, MAX_VIEW_NAME_LENGTH } from '../base/limits/http.ts';
import { type Collection, declareCollection } from './declaration.ts';
import type { FieldDraft } from './draft.ts';
import { withoutFields } from './files.ts';

const WHO: readonly FieldDraft[] = [
  { name: 'role', type: 'text', required: true },
  /** A rule refers to them as `{claims.x}`. */
  { name: 'claims', type: 'json', required: true },
  { name: 'created_at', type: 'timestamptz', required: true },
];

/** Stores the hash of a key, never the key. */
export const KEYS = declareCollection({
  name: 'catalogue_keys',
  key: ['hash'],
  fields: [
    { name: 'hash', type: 'text' },
    { name: 'name', type: 'text', required: true, unique: true },
    ...WHO,
    { name: 'expires_at', type: 'timestamptz' },
  ],
});

export const USERS = declareCollection({
  name: 'catalogue_users',
  key: ['name'],
  fields: [
    { name: 'name', type: 'text' },
    ...WHO,
    /** The argon2id hash. */
    { name: 'password', type: 'text', required: true },
    /** Changes with every update of the user, which ends all earlier sessions. */
    { name: 'stamp', type: 'text', required: true },
  ],
});

/** Stores the hash of the cookie's token, never the token. */
export const SESSIONS = declareCollection({
  name: 'catalogue_sessions',
  key: ['hash'],
  fields: [
    { name: 'hash', type: 'text' },
    { name: 'user_name', type: 'text', required: true, indexed: true },
    { name: 'stamp', type: 'text', required: true },
    { name: 'expires_at', type: 'timestamptz', required: true, indexed: true },
  ],
});

/** The last use of each key, which is not in `KEYS`: databases of earlier versions have that table already. */
const KEY_USES = declareCollection({
  name: 'catalogue_key_uses',
  key: ['name'],
  fields: [
    { name: 'name', type: 'text' },
    { name: 'last_used_at', type: 'timestamptz', required: true },
  ],
});

/** Attempts to log in, successful or not. */
const LOGINS = declareCollection({
  name: 'catalogue_logins',
  key: ['id'],
  fields: [
    /** The hash of the session that began, or random. */
    { name: 'id', type: 'text' },
    { name: 'at', type: 'timestamptz', required: true, indexed: true },
    /** Null if no user has the name: it may be a mistyped password. */
    { name: 'user_name', type: 'text' },
    { name: 'result', type: 'text', required: true },
    { name: 'address', type: 'text' },
    { name: 'device', type: 'text' },
  ],
});

/** The progress of each webhook, and the lease of the process that sends: the row without a name. */
export const WEBHOOKS = declareCollection({
  name: 'catalogue_webhooks',
  key: ['name'],
  fields: [
    { name: 'name', type: 'text' },
    /** Changes up to this position are delivered, or have a delivery of their own. */
    { name: 'seq', type: 'int8', required: true },
    { name: 'delivered', type: 'int8', required: true },
    { name: 'delivered_at', type: 'timestamptz' },
    { name: 'holder', type: 'text' },
    { name: 'held_until', type: 'timestamptz' },
  ],
});

/** Deliveries that failed, or that wait for an earlier one of the same row. */
export const DELIVERIES = declareCollection({
  name: 'catalogue_deliveries',
  key: ['webhook', 'seq'],
  fields: [
    { name: 'webhook', type: 'text' },
    { name: 'seq', type: 'int8' },
    { name: 'collection', type: 'text', required: true },
    { name: 'key', type: 'text' },
    { name: 'status', type: 'text', required: true },
    { name: 'attempts', type: 'int4', required: true },
    { name: 'first_at', type: 'timestamptz', required: true },
    { name: 'next_at', type: 'timestamptz' },
    { name: 'reason', type: 'text' },
  ],
});

/** Keys, users, sessions and logins as requests see them: without secrets. */
export const SERVED_ACCOUNTS: Readonly<Record<'keys' | 'users' | 'sessions' | 'logins', Collection>> = {
  keys: servedAccounts(withDetails(KEYS, 'name', KEY_USES), ['hash'], 'name'),
  users: servedAccounts(USERS, ['password', 'stamp'], 'name'),
  sessions: servedAccounts(withDetails(SESSIONS, 'hash', LOGINS), ['stamp'], 'hash'),
  logins: LOGINS,
};

/** The details that a list adds, unless it has a `select`. */
export const ACCOUNT_DETAILS: Readonly<Record<string, string>> = {
  keys: `...${KEY_USES.name}(last_used_at)`,
  sessions: `...${LOGINS.name}(at,address,device)`,
};

function servedAccounts(collection: Collection, hidden: readonly string[], key: string): Collection {
  return { ...withoutFields(collection, hidden), key: [collection.byName.get(key)!] };
}

/** The collection with a relation to the key of another, which has details of some rows. */
function withDetails({ draft }: Collection, name: string, details: Collection): Collection {
  const references = { collection: details.name, onDelete: 'restrict' } as const;
  const fields = draft.fields.map((field) => (field.name === name ? { ...field, references } : field));
  return declareCollection({ ...draft, fields }, new Map([[details.name, details]]));
}

/** The credential that a row belongs to, such as `user ann`. The service sets it; null without roles. */
const OWNER: FieldDraft = { name: 'owner', type: 'text', readOnly: true };

/** Stored views of lists. A view belongs to one person, who may share it. */
export const VIEWS = declareCollection(
  {
    name: 'catalogue_views',
    key: ['id'],
    fields: [
      { name: 'id', type: 'uuid', default: 'uuid' },
      { name: 'collection', type: 'text', required: true },
      { name: 'name', type: 'text', required: true, maxLength: MAX_VIEW_NAME_LENGTH },
      OWNER,
      { name: 'shared', type: 'boolean', required: true, default: false },
      { name: 'definition', type: 'json', required: true },
      { name: 'updated', type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true },
    ],
  },
  undefined,
  MAX_VIEW_BYTES,
);

/** The rows that people edit at the moment. A row of a page that sends no sign of life disappears. */
export const PRESENCE = declareCollection({
  name: 'catalogue_presence',
  key: ['id'],
  fields: [
    { name: 'id', type: 'uuid' },
    { name: 'collection', type: 'text', required: true },
    { name: 'key', type: 'text', required: true, maxLength: MAX_PRESENCE_KEY_LENGTH },
    OWNER,
    { name: 'seen', type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true, indexed: true },
  ],
});

/** Collections of which every caller has rows of its own, by their name in paths. */
export const PERSONAL_COLLECTIONS: ReadonlyMap<string, Collection> = new Map([
  ['views', VIEWS],
  ['presence', PRESENCE],
]);

/** Collections whose tables are created together. */
export const CREDENTIALS: readonly Collection[] = [KEYS, USERS, SESSIONS];
/** Tables of earlier versions lack these, and the service works without them. */
export const ACCOUNT_LOG = { uses: KEY_USES, logins: LOGINS };
export const WEBHOOK_TABLES: readonly Collection[] = [WEBHOOKS, DELIVERIES];

export const OWN_COLLECTIONS: ReadonlyMap<string, Collection> = new Map(
  [...CREDENTIALS, ...Object.values(ACCOUNT_LOG), ...WEBHOOK_TABLES, ...PERSONAL_COLLECTIONS.values()].map((each) => [
    each.name,
    each,
  ]),
);

export function isOwn(collection: Collection): boolean {
  return OWN_COLLECTIONS.has(collection.name);
}
