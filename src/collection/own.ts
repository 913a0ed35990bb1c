/**
 * Collections of the service itself: the keys, users and sessions by which it knows who asks. They are read and written by the
 * same plans as all others, and are no part of a catalogue: no request reaches them. Their tables are made when they are needed.
 */
import { type Collection, declareCollection } from './declaration.ts';
import type { FieldDraft } from './draft.ts';

const WHO: readonly FieldDraft[] = [
  { name: 'role', type: 'text', required: true },
  /** What a rule may name as `{claims.x}`. */
  { name: 'claims', type: 'json', required: true },
  { name: 'created_at', type: 'timestamptz', required: true },
];

/** Of a key only its hash is stored. */
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
    /** Its argon2id hash. */
    { name: 'password', type: 'text', required: true },
    /** Another one after every change: sessions of before have the old one, and have ended. */
    { name: 'stamp', type: 'text', required: true },
  ],
});

/** Of the text in the cookie only its hash is stored. */
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

export const OWN_COLLECTIONS: ReadonlyMap<string, Collection> = new Map(
  [KEYS, USERS, SESSIONS].map((each) => [each.name, each]),
);

export function isOwn(collection: Collection): boolean {
  return OWN_COLLECTIONS.get(collection.name) === collection;
}
