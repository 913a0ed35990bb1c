/** Who asks: the role that decides what they may do, and what their credentials say of them. */
export interface Caller {
  /** As the declaration names it. */
  readonly role: string;
  /** What a token says; a rule names them as `{claims.supplier_id}`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The name of the key or of the user, for the log. */
  readonly name?: string;
  /** Tells callers apart, where a name for people does not; absent for whoever sends no credentials. */
  readonly identity?: string;
}

/** Whoever sends no credentials. */
export const ANONYMOUS: Caller = { role: 'anonymous', claims: {} };
