/**
 * Stores keys, users and sessions on any engine, with the same plans as other rows. If the tables do not exist, there
 * are no credentials; the first write creates the tables.
 */
import type { Collection } from '../collection/declaration.ts';
import { ACCOUNT_LOG, CREDENTIALS, KEYS, SESSIONS, USERS } from '../collection/own-collections.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Engine, MaybePromise, Write } from '../engine/engine.ts';
import { OwnTables, RowStore } from '../engine/row-store.ts';
import { andAlso } from '../plan/access/permissions.ts';
import { planWholeRow } from '../plan/read/read.ts';
import { fieldExpression, keyIs } from '../plan/resolve.ts';
import { ALWAYS, type Predicate } from '../plan/types.ts';
import { andThen } from '../response/request-context.ts';

interface Holder {
  readonly name: string;
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface StoredKey extends Holder {
  readonly hash: string;
  readonly expires_at: string | null;
}

export interface StoredUser extends Holder {
  readonly password: string;
  readonly stamp: string;
}

export interface StoredSession {
  readonly hash: string;
  readonly user_name: string;
  readonly stamp: string;
  readonly expires_at: string;
}

/** The last use of a key. */
interface StoredUse {
  readonly name: string;
  readonly last_used_at: string;
}

interface StoredLogin {
  readonly id: string;
  readonly at: string;
  readonly user_name: string | null;
  readonly result: string;
  readonly address: string;
  readonly device: string;
}

export class CredentialStore {
  readonly keys: CredentialTable<StoredKey>;
  readonly users: CredentialTable<StoredUser>;
  readonly sessions: CredentialTable<StoredSession>;
  readonly uses: CredentialTable<StoredUse>;
  readonly logins: CredentialTable<StoredLogin>;

  constructor(engine: Engine) {
    const [store, tables] = [new RowStore(engine), new OwnTables(engine, CREDENTIALS)];
    this.keys = new CredentialTable(store, tables, KEYS);
    this.users = new CredentialTable(store, tables, USERS);
    this.sessions = new CredentialTable(store, tables, SESSIONS);
    const logOf = <Row extends object>(each: Collection) =>
      new CredentialTable<Row>(store, new OwnTables(engine, [each]), each);
    this.uses = logOf(ACCOUNT_LOG.uses);
    this.logins = logOf(ACCOUNT_LOG.logins);
  }
}

class CredentialTable<Row extends object> {
  constructor(
    private readonly store: RowStore,
    private readonly tables: OwnTables,
    private readonly collection: Collection,
  ) {}

  find(key: string): MaybePromise<Row | undefined> {
    const plan = planWholeRow(this.collection, [key]);
    const first = (exist: boolean) => (exist ? andThen(this.store.read<Row>(plan), ([row]) => row) : undefined);
    return andThen(this.tables.check(), first);
  }

  /** The rows with this name, in any case. `after` as in `Engine.read`. */
  async named(name: string, after?: string): Promise<readonly (Row & { readonly name: string })[]> {
    if (name.includes('\0') || !(await this.tables.check())) return [];
    const of = fieldExpression(this.collection.byName.get('name')!);
    const where: Predicate = { kind: 'like', of, pattern: name.replace(/[\\%_]/g, '\\$&'), caseless: true };
    return this.store.read({ ...this.store.query(this.collection, ''), where, isLookup: true }, after);
  }

  async all(): Promise<readonly Row[]> {
    return (await this.tables.check()) ? this.store.read(this.store.query(this.collection, '')) : [];
  }

  async add(row: Row, existing?: 'replace'): Promise<void> {
    await this.tables.create();
    await this.store.execute([this.store.insertion(this.collection, row, existing)]);
  }

  /** Resolves to whether the row exists, and is among `within`. */
  change(key: string, changes: Partial<Row>, within: Predicate = ALWAYS): Promise<boolean> {
    const where = andAlso(keyIs(this.collection, [key]), within);
    return this.write(this.store.change(this.collection, where, changes));
  }

  /** Resolves to whether such a row existed, among `within`. */
  remove(
    name: keyof Row & string,
    value: string,
    operator: '=' | '<' = '=',
    within: Predicate = ALWAYS,
  ): Promise<boolean> {
    const field = this.collection.byName.get(name)!;
    const compared = { of: fieldExpression(field), operator, value: storeJson(field.type, value) };
    return this.removeWhere(andAlso({ kind: 'compare', ...compared }, within));
  }

  /** Resolves to whether such a row existed. */
  removeWhere(where: Predicate): Promise<boolean> {
    return this.write(this.store.deletion(this.collection, where));
  }

  private async write(write: Write): Promise<boolean> {
    if (!(await this.tables.check())) return false;
    const [result] = await this.store.execute([write]);
    return result!.affected > 0;
  }
}
