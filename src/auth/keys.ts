/** API keys. The service shows a key once, at its creation, and stores its hash, which is safe for 256 random bits. */
import { isSigned, signatureOf } from '../base/net/signature.ts';
import type { Caller } from '../collection/access/caller.ts';
import { printSigned, readSigned } from '../http/signed-address.ts';
import { andThen } from '../response/request-context.ts';
import type { AccountLog } from './account-log.ts';
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

/** Resolves to whether the key existed. A later key of this name has uses of its own, if they can be removed. */
export async function revokeKey(store: CredentialStore, name: string): Promise<boolean> {
  const existed = await store.keys.remove('name', name);
  if (existed) await store.uses.remove('name', name).catch(() => undefined);
  return existed;
}

type CheckRole = (caller: Caller) => void;

export function keyCache(store: CredentialStore, checkRole: CheckRole, log: AccountLog): CredentialCache {
  return new CredentialCache((hash) => andThen(store.keys.find(hash), (key) => credentialOf(key, log)), checkRole);
}

/** Finds the key that signed an address: `printSigned` gives the text. */
export function signedCache(store: CredentialStore, checkRole: CheckRole, log: AccountLog): CredentialCache {
  return new CredentialCache(async (_, text) => {
    const { address, keyName, expires, signature } = readSigned(text)!;
    const key = await keyNamed(store, keyName);
    if (key === undefined || !isSigned(key.hash, address, expires, signature)) {
      throw invalidToken('PGRST301', 'The signed address has expired or was changed, or its key was revoked');
    }
    const { caller, endsAt } = credentialOf(key, log);
    return { caller, endsAt: Math.min(endsAt, expires * 1000) };
  }, checkRole);
}

/** Undefined if the key does not exist. The secret of the signature is the hash of the key, which nobody sees. */
export async function signWithKey(
  store: CredentialStore,
  address: string,
  keyName: string,
  expires: number,
): Promise<string | undefined> {
  const key = await keyNamed(store, keyName);
  return key && printSigned({ address, keyName, expires, signature: signatureOf(key.hash, address, expires) });
}

async function keyNamed(store: CredentialStore, name: string): Promise<StoredKey | undefined> {
  return (await store.keys.named(name)).find((key) => key.name === name);
}

function credentialOf(key: StoredKey | undefined, log: AccountLog): CachedCredential {
  if (key === undefined) throw invalidToken('PGRST301', 'The key is not known, or was revoked');
  const { hash, name, role, claims, expires_at } = key;
  const endsAt = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  if (endsAt <= Date.now()) throw invalidToken('PGRST301', 'The key has expired', { cause: `key ${name}` });
  log.used(key);
  return { caller: { role, claims: { ...claims, sub: name, role }, name, identity: `key ${hash}` }, endsAt };
}
