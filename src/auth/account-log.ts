/** Records the last use of keys, and who logged in or tried to. A request never fails because of these records. */
import {
  KEY_USE_MS,
  LOGIN_DAYS,
  MAX_CACHED_CREDENTIALS,
  MAX_DEVICE_LENGTH,
  MAX_STORED_LOGIN_FAILURES,
} from '../base/limits/auth.ts';
import { LruCache } from '../base/memo.ts';
import { randomText } from './secret-text.ts';
import type { CredentialStore, StoredKey } from './store.ts';

/** Where a request to log in comes from. */
export interface LoginOrigin {
  readonly address: string;
  /** The header User-Agent. */
  readonly device: string;
}

type Failure = 'wrong_password' | 'unknown_user' | 'disabled';

const HOUR_MS = 3_600_000;
const RETRY_MS = 60_000;

export class AccountLog {
  /** By the hash of a key: when its next use is stored, in milliseconds since 1970. */
  private readonly nextUse = new LruCache<number>(MAX_CACHED_CREDENTIALS);
  private readonly failures = { count: 0, since: 0 };

  constructor(private readonly store: CredentialStore) {}

  /** Stores the use in the background, at most once per hour. */
  used({ hash, name }: StoredKey): void {
    const now = Date.now();
    if (now < (this.nextUse.get(hash) ?? 0)) return;
    this.nextUse.set(hash, now + KEY_USE_MS);
    const use = { name, last_used_at: new Date(now).toISOString() };
    this.store.uses.add(use, 'replace').catch(() => this.nextUse.set(hash, now + RETRY_MS));
  }

  loggedIn(session: string, user_name: string, origin: LoginOrigin): Promise<void> {
    return this.add(session, user_name, 'ok', origin);
  }

  /** Someone with many addresses must not fill the database, so the number that is stored per hour is limited. */
  async failed(user_name: string | null, result: Failure, origin: LoginOrigin): Promise<void> {
    const { failures } = this;
    if (Date.now() - failures.since > HOUR_MS) {
      Object.assign(failures, { count: 0, since: Date.now() });
      void this.removeOld();
    }
    failures.count++;
    if (failures.count <= MAX_STORED_LOGIN_FAILURES) await this.add(randomText(), user_name, result, origin);
  }

  async removeOld(): Promise<void> {
    const oldest = new Date(Date.now() - LOGIN_DAYS * 24 * HOUR_MS).toISOString();
    await this.store.logins.remove('at', oldest, '<').catch(() => undefined);
  }

  private async add(id: string, user_name: string | null, result: Failure | 'ok', origin: LoginOrigin): Promise<void> {
    const device = origin.device.slice(0, MAX_DEVICE_LENGTH).toWellFormed().replaceAll(/\p{C}/gu, '?');
    const login = { id, at: new Date().toISOString(), user_name, result, address: origin.address, device };
    // The role of the service in the database may not create the table.
    await this.store.logins.add(login).catch(() => undefined);
  }
}
