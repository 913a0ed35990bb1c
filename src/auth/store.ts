/**
 * Stores keys, users and sessions on any engine, with the same plans as other rows. If the tables do not exist, there are no
 * credentials; the first write creates the tables.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import { KEYS, SESSIONS, USERS } from '../collection/own-collections.ts';
import { storeJson } from '../collection/types/type.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { Engine, MaybePromise, ReadResult } from '../engine/engine.ts';
import { keyIs } from '../plan/keys.ts';
import { planRead } from '../plan/read/read.ts';
import { planWholeRow, WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import { fieldExpression } from '../plan/resolve.ts';
import type { Assignment, Predicate, ReadPlan, WritePlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';
import { andThen } from '../response/request-context.ts';

type Claims = Readonly<Record<string, unknown>>;

interface Holder {
  readonly name: string;
  readonly role: string;
  readonly claims: Claims;
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

/** Interval between checks for missing tables. */
const CHECK_MS = 500;
const NO_COLUMNS: Encoding = { format: 'json', stripNulls: false, columns: [] };
const WRITE_OPTIONS = { singular: false, mustExist: false } as const;

export class CredentialStore {
  private hasTables = false;
  private nextCheck = 0;

  constructor(private readonly engine: Engine) {}

  /** Creates the tables. Throws a `ConfigError` if the database role may not. */
  async prepare(): Promise<void> {
    this.hasTables = await this.engine.ownTables({ make: true });
  }

  key(hash: string): MaybePromise<StoredKey | undefined> {
    return this.find<StoredKey>(KEYS, hash);
  }

  keys(): Promise<readonly StoredKey[]> {
    return this.all<StoredKey>(KEYS);
  }

  addKey(key: StoredKey): Promise<void> {
    return this.insert(KEYS, { ...key });
  }

  /** Resolves to whether the key existed. */
  removeKey(name: string): Promise<boolean> {
    return this.remove(KEYS, equals(KEYS.byName.get('name')!, name));
  }

  user(name: string): MaybePromise<StoredUser | undefined> {
    return this.find<StoredUser>(USERS, name);
  }

  users(): Promise<readonly StoredUser[]> {
    return this.all<StoredUser>(USERS);
  }

  addUser(user: StoredUser): Promise<void> {
    return this.insert(USERS, { ...user });
  }

  /** Every change sets a new stamp. */
  changeUser(name: string, changes: Partial<StoredUser> & Pick<StoredUser, 'stamp'>): Promise<boolean> {
    return this.change(USERS, keyIs(USERS, [name]), { ...changes });
  }

  removeUser(name: string): Promise<boolean> {
    return this.remove(USERS, keyIs(USERS, [name]));
  }

  session(hash: string): MaybePromise<StoredSession | undefined> {
    return this.find<StoredSession>(SESSIONS, hash);
  }

  addSession(session: StoredSession): Promise<void> {
    return this.insert(SESSIONS, { ...session });
  }

  removeSession(hash: string): Promise<boolean> {
    return this.remove(SESSIONS, keyIs(SESSIONS, [hash]));
  }

  removeSessionsOf(user: string): Promise<boolean> {
    return this.remove(SESSIONS, equals(SESSIONS.byName.get('user_name')!, user));
  }

  /** Removes the sessions that expired before this moment. */
  removeSessionsBefore(moment: Date): Promise<boolean> {
    const field = SESSIONS.byName.get('expires_at')!;
    const value = storeJson(field.type, moment.toISOString());
    return this.remove(SESSIONS, { kind: 'compare', of: fieldExpression(field), operator: '<', value });
  }

  private find<T>(collection: Collection, key: string): MaybePromise<T | undefined> {
    const plan = planWholeRow(collection, [key]);
    return andThen(this.present(), (isPresent) =>
      isPresent ? andThen(this.read<T>(plan), ([row]) => row) : undefined,
    );
  }

  private async all<T>(collection: Collection): Promise<readonly T[]> {
    if (!(await this.present())) return [];
    return this.read<T>(planRead(collection, EMPTY_QUERY, { offset: 0 }, undefined));
  }

  private read<T>(plan: ReadPlan): MaybePromise<readonly T[]> {
    const rows = ({ body }: ReadResult) => JSON.parse(body as string) as readonly T[];
    return andThen(andThen(this.engine.read(plan, WHOLE_ROW_JSON), readWhole), rows);
  }

  /** Another process may have created the tables. */
  private present(): MaybePromise<boolean> {
    if (this.hasTables) return true;
    if (performance.now() < this.nextCheck) return false;
    return this.engine.ownTables({ make: false }).then((hasTables) => {
      this.nextCheck = performance.now() + CHECK_MS;
      this.hasTables = hasTables;
      return hasTables;
    });
  }

  private async insert(into: Collection, row: Readonly<Record<string, unknown>>): Promise<void> {
    if (!this.hasTables) await this.prepare();
    const rows = [into.fields.map(({ name, type }) => stored(type, row[name]))];
    await this.write({ kind: 'insert', into, rows, given: into.fields, conflict: 'refuse', ...WRITE_OPTIONS });
  }

  private async change(into: Collection, where: Predicate, changes: Readonly<Record<string, unknown>>) {
    if (!(await this.present())) return false;
    const set: Assignment[] = into.fields
      .filter(({ name }) => changes[name] !== undefined)
      .map((field) => ({ field, value: stored(field.type, changes[field.name]) }));
    const given = set.map(({ field }) => field);
    return (await this.write({ kind: 'update', into, where, set, given, ...WRITE_OPTIONS })) > 0;
  }

  private async remove(into: Collection, where: Predicate): Promise<boolean> {
    if (!(await this.present())) return false;
    return (await this.write({ kind: 'delete', into, where, ...WRITE_OPTIONS })) > 0;
  }

  /** Returns the number of affected rows. */
  private async write(plan: WritePlan): Promise<number> {
    const [result] = await this.engine.write([{ plan, encoding: NO_COLUMNS }], { dryRun: false });
    return result!.affected;
  }
}

function stored(type: Field['type'], value: unknown) {
  return value === undefined || value === null ? null : storeJson(type, value);
}

function equals(field: Field, value: string): Predicate {
  return { kind: 'compare', of: fieldExpression(field), operator: '=', value };
}
