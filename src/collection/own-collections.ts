/**
 * The service's own collections: API keys, users, sessions and webhooks. The same plans read and write them, but they
 * are not part of a catalogue. Requests reach keys and users only, without their secrets. Their tables are created on
 * first use.
 */
import { type Collection, declareCollection } from './declaration.ts';
import type { FieldDraft } from './draft.ts';

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

/** Keys and users as requests see them, by name: without hashes and stamps. */
export const SERVED_ACCOUNTS: ReadonlyMap<string, Collection> = new Map([
  ['keys', withoutFields(KEYS, ['hash'])],
  ['users', withoutFields(USERS, ['password', 'stamp'])],
]);

function withoutFields(collection: Collection, hidden: readonly string[]): Collection {
  const fields = collection.fields.filter(({ name }) => !hidden.includes(name));
  const byName = new Map(fields.map((field) => [field.name, field]));
  return { ...collection, fields, byName, key: [byName.get('name')!] };
}

/** Collections whose tables are created together. */
export const CREDENTIALS: readonly Collection[] = [KEYS, USERS, SESSIONS];
export const WEBHOOK_TABLES: readonly Collection[] = [WEBHOOKS, DELIVERIES];

export const OWN_COLLECTIONS: ReadonlyMap<string, Collection> = new Map(
  [...CREDENTIALS, ...WEBHOOK_TABLES].map((each) => [each.name, each]),
);

/** Also true for a collection with fewer fields. */
export function isOwn({ name, draft }: Collection): boolean {
  return OWN_COLLECTIONS.get(name)?.draft === draft;
}
