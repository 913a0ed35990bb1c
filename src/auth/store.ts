/**
 * Stores keys, users and sessions on any engine, with the same plans as other rows. If the tables do not exist, there
 * are no credentials; the first write creates the tables.
 */
import type { Collection } from '../collection/declaration.ts';
import { CREDENTIALS, KEYS, SESSIONS, USERS } from '../collection/own-collections.ts';
import { storeJson } from '../collection/types/type.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { Engine, MaybePromise, ReadResult } from '../engine/engine.ts';
import { andAlso } from '../plan/access/permissions.ts';
import { keyIs } from '../plan/keys.ts';
import { planRead } from '../plan/read/read.ts';
import { planWholeRow, WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Assignment, type Predicate, type ReadPlan, type WritePlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';
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

/** Interval between checks for missing tables. */
const CHECK_MS = 500;
const NO_COLUMNS: Encoding = { format: 'json', stripNulls: false, columns: [] };
const WRITE_OPTIONS = { singular: false, mustExist: false } as const;

export class CredentialStore {
  readonly keys: CredentialTable<StoredKey>;
  readonly users: CredentialTable<StoredUser>;
  readonly sessions: CredentialTable<StoredSession>;

  constructor(engine: Engine) {
    const tables = new OwnTables(engine);
    this.keys = new CredentialTable(engine, tables, KEYS);
    this.users = new CredentialTable(engine, tables, USERS);
    this.sessions = new CredentialTable(engine, tables, SESSIONS);
  }
}

/** Whether the tables exist. Another process may have created them. */
class OwnTables {
  private exist = false;
  private nextCheck = 0;

  constructor(private readonly engine: Engine) {}

  /** Throws a `ConfigError` if the database role may not create them. */
  async create(): Promise<void> {
    if (!this.exist) this.exist = await this.engine.ownTables(CREDENTIALS, { make: true });
  }

  check(): MaybePromise<boolean> {
    if (this.exist) return true;
    if (performance.now() < this.nextCheck) return false;
    return this.engine.ownTables(CREDENTIALS, { make: false }).then((exist) => {
      this.nextCheck = performance.now() + CHECK_MS;
      this.exist = exist;
      return exist;
    });
  }
}

class CredentialTable<Row extends object> {
  constructor(
    private readonly engine: Engine,
    private readonly tables: OwnTables,
    private readonly collection: Collection,
  ) {}

  find(key: string): MaybePromise<Row | undefined> {
    const plan = planWholeRow(this.collection, [key]);
    return andThen(this.tables.check(), (exist) => (exist ? andThen(this.read(plan), ([row]) => row) : undefined));
  }

  /** The rows with this name, in any case. */
  async named(name: string): Promise<readonly (Row & { readonly name: string })[]> {
    if (name.includes('\0') || !(await this.tables.check())) return [];
    const of = fieldExpression(this.collection.byName.get('name')!);
    const where: Predicate = { kind: 'like', of, pattern: name.replace(/[\\%_]/g, '\\$&'), caseless: true };
    const plan = planRead(this.collection, EMPTY_QUERY, { offset: 0 }, undefined);
    return (await this.read({ ...plan, where })) as readonly (Row & { readonly name: string })[];
  }

  async all(): Promise<readonly Row[]> {
    if (!(await this.tables.check())) return [];
    return this.read(planRead(this.collection, EMPTY_QUERY, { offset: 0 }, undefined));
  }

  async add(row: Row): Promise<void> {
    await this.tables.create();
    const into = this.collection;
    const rows = [into.fields.map(({ name, type }) => storeJson(type, row[name as keyof Row] ?? null))];
    await this.execute({ kind: 'insert', into, rows, given: into.fields, conflict: 'refuse', ...WRITE_OPTIONS });
  }

  /** Resolves to whether the row exists, and is among `within`. */
  change(key: string, changes: Partial<Row>, within: Predicate = ALWAYS): Promise<boolean> {
    const into = this.collection;
    const changedFields = into.fields.filter(({ name }) => changes[name as keyof Row] !== undefined);
    const set: Assignment[] = changedFields.map((field) => ({
      field,
      value: storeJson(field.type, changes[field.name as keyof Row]),
    }));
    const where = andAlso(keyIs(into, [key]), within);
    return this.write({ kind: 'update', into, where, set, given: changedFields, ...WRITE_OPTIONS });
  }

  /** Resolves to whether such a row existed, among `within`. */
  remove(
    name: keyof Row & string,
    value: string,
    operator: '=' | '<' = '=',
    within: Predicate = ALWAYS,
  ): Promise<boolean> {
    const into = this.collection;
    const field = into.byName.get(name)!;
    const is: Predicate = {
      kind: 'compare',
      of: fieldExpression(field),
      operator,
      value: storeJson(field.type, value),
    };
    return this.write({ kind: 'delete', into, where: andAlso(is, within), ...WRITE_OPTIONS });
  }

  private read(plan: ReadPlan): MaybePromise<readonly Row[]> {
    const rows = ({ body }: ReadResult) => JSON.parse(body as string) as readonly Row[];
    return andThen(andThen(this.engine.read(plan, WHOLE_ROW_JSON), readWhole), rows);
  }

  private async write(plan: WritePlan): Promise<boolean> {
    return (await this.tables.check()) && (await this.execute(plan)) > 0;
  }

  /** Returns the number of affected rows. */
  private async execute(plan: WritePlan): Promise<number> {
    const [result] = await this.engine.write([{ plan, encoding: NO_COLUMNS }], { dryRun: false });
    return result!.affected;
  }
}
