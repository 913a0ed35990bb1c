/** The caller of a request: role, claims and identity. */
export interface Caller {
  /** A role of the declaration. */
  readonly role: string;
  /** The claims of the credentials; a rule refers to them as `{claims.supplier_id}`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The name of the API key or user, for the log. */
  readonly name?: string;
  /** Distinguishes callers with equal names; absent for anonymous callers. */
  readonly identity?: string;
}

/**
 * The owner of the rows that a caller writes: `user ann`, `key till` or `token ["https://issuer.example","ann"]`;
 * undefined for a caller without a name. A key and a user of the same name are two owners, and so are the subjects of
 * two issuers. A key that replaces one of its name is the same owner.
 */
export function ownerOf({ name, identity }: Pick<Caller, 'name' | 'identity'>): string | undefined {
  if (name === undefined || identity === undefined) return undefined;
  return identity.startsWith('key ') ? `key ${name}` : identity;
}

/** The caller of a request without credentials. */
export const ANONYMOUS: Caller = { role: 'anonymous', claims: {} };
