/** API keys. The service shows a key once, at its creation, and stores its hash, which is safe for 256 random bits. */
import type { Caller } from '../collection/access/caller.ts';
import { andThen } from '../response/request-context.ts';
import { type CachedCredential, CredentialCache } from './credential-cache.ts';
import { invalidToken } from './errors.ts';
import { hashOf, KEY_PREFIX, randomText } from './secret-text.ts';
import type { CredentialStore, StoredKey } from './store.ts';

type NewKey = Pick<StoredKey, 'name' | 'role' | 'claims'> & { readonly expires?: Date | undefined };

/** Resolves to the key itself, which is shown only now. */
export async function addKey(store: CredentialStore, { name, role, claims, expires }: NewKey): Promise<string> {
  const text = KEY_PREFIX + randomText();
  const created_at = new Date().toISOString();
  const expires_at = expires?.toISOString() ?? null;
  await store.keys.add({ hash: hashOf(text), name, role, claims, created_at, expires_at });
  return text;
}

export function keyCache(store: CredentialStore, checkRole: (caller: Caller) => void): CredentialCache {
  return new CredentialCache((hash) => andThen(store.keys.find(hash), credentialOf), checkRole);
}

function credentialOf(key: StoredKey | undefined): CachedCredential {
  if (key === undefined) throw invalidToken('PGRST301', 'The key is not known, or was revoked');
  const { hash, name, role, claims, expires_at } = key;
  const endsAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  if (endsAt <= Date.now()) throw invalidToken('PGRST301', 'The key has expired', { cause: `key ${name}` });
  return { caller: { role, claims: { ...claims, sub: name, role }, name, identity: `key ${hash}` }, endsAt };
}
