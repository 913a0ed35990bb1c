/**
 * The service's own collections: API keys, users, sessions, webhooks, stored views and presence. The same plans read
 * and write them, but they are not part of a catalogue. Requests reach only `PERSONAL_COLLECTIONS`, and
 * `SERVED_ACCOUNTS` without their secrets. Their tables are created on first use.
 */
import { MAX_PRESENCE_KEY_LENGTH, MAX_VIEW_BYTES, MAX_VIEW_NAME_LENGTH } from '../base/limits/http.ts';
import { type Collection, declareCollection } from './declaration.ts';
import { type FieldsByName, fieldDrafts } from './draft.ts';
import { withoutFields } from './files.ts';

const table = (name: string, key: readonly string[], fields: FieldsByName, maxValueBytes?: number): Collection =>
  declareCollection({ name, key, fields: fieldDrafts(fields) }, undefined, maxValueBytes);

/** A rule refers to claims as `{claims.x}`. */
const WHO = { role: 'text!', claims: 'json!', created_at: 'timestamptz!' };

/** Stores the hash of a key, never the key. */
export const KEYS = table('catalogue_keys', ['hash'], {
  hash: 'text',
  name: { type: 'text', required: true, unique: true },
  ...WHO,
  expires_at: 'timestamptz',
});

export const USERS = table('catalogue_users', ['name'], {
  name: 'text',
  ...WHO,
  /** The argon2id hash. */
  password: 'text!',
  /** Changes with every update of the user, which ends all earlier sessions. */
  stamp: 'text!',
});

/** Stores the hash of the cookie's token, never the token. */
export const SESSIONS = table('catalogue_sessions', ['hash'], {
  hash: 'text',
  user_name: { type: 'text', required: true, indexed: true },
  stamp: 'text!',
  expires_at: { type: 'timestamptz', required: true, indexed: true },
});

/** The last use of each key, which is not in `KEYS`: databases of earlier versions have that table already. */
const KEY_USES = table('catalogue_key_uses', ['name'], { name: 'text', last_used_at: 'timestamptz!' });

/** Attempts to log in, successful or not. */
const LOGINS = table('catalogue_logins', ['id'], {
  /** The hash of the session that began, or random. */
  id: 'text',
  at: { type: 'timestamptz', required: true, indexed: true },
  /** Null if no user has the name: it may be a mistyped password. */
  user_name: 'text',
  result: 'text!',
  address: 'text',
  device: 'text',
});

/** The progress of each webhook, and the lease of the process that sends: the row without a name. */
export const WEBHOOKS = table('catalogue_webhooks', ['name'], {
  name: 'text',
  /** Changes up to this position are delivered, or have a delivery of their own. */
  seq: 'int8!',
  delivered: 'int8!',
  delivered_at: 'timestamptz',
  holder: 'text',
  held_until: 'timestamptz',
});

/** Deliveries that failed, or that wait for an earlier one of the same row. */
export const DELIVERIES = table('catalogue_deliveries', ['webhook', 'seq'], {
  webhook: 'text',
  seq: 'int8',
  collection: 'text!',
  key: 'text',
  status: 'text!',
  attempts: 'int4!',
  first_at: 'timestamptz!',
  next_at: 'timestamptz',
  reason: 'text',
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
const OWNER = { type: 'text', readOnly: true };

/** Stored views of lists. A view belongs to one person, who may share it. */
export const VIEWS = table(
  'catalogue_views',
  ['id'],
  {
    id: { type: 'uuid', default: 'uuid' },
    collection: 'text!',
    name: { type: 'text', required: true, maxLength: MAX_VIEW_NAME_LENGTH },
    owner: OWNER,
    shared: { type: 'boolean', required: true, default: false },
    definition: 'json!',
    updated: { type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true },
  },
  MAX_VIEW_BYTES,
);

/** The rows that people edit at the moment. A row of a page that sends no sign of life disappears. */
export const PRESENCE = table('catalogue_presence', ['id'], {
  id: 'uuid',
  collection: 'text!',
  key: { type: 'text', required: true, maxLength: MAX_PRESENCE_KEY_LENGTH },
  owner: OWNER,
  seen: { type: 'timestamptz', default: 'now', onUpdate: 'now', readOnly: true, indexed: true },
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
