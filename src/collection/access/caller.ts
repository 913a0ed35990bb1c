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

/** The caller of a request without credentials. */
export const ANONYMOUS: Caller = { role: 'anonymous', claims: {} };
