/**
 * Notices changed definitions of a database that other programs change. It asks regularly, and can listen to
 * `NOTIFY pgrst, 'reload schema'`, as PostgREST does. A standby and a pooler pass on no notifications.
 */
import type { SQL } from 'bun';
import { ApiError } from '../../../base/errors.ts';
import type { Notice } from '../driver.ts';
import { isLoss, sqlState } from '../errors.ts';

const CHANNEL = 'pgrst';
const ASK_MS = 2_000;

export class DefinitionWatch {
  private readonly timer: ReturnType<typeof setInterval>;
  private looking: Promise<boolean> | undefined;
  private isRequested = false;

  constructor(
    /** A text that changes with the definitions. */
    private readonly definitions: () => Promise<string>,
    /** The text that the current description has. */
    private known: string,
    private readonly describeAgain: () => Promise<unknown>,
    private readonly notice: Notice,
  ) {
    this.timer = setInterval(() => void this.look(), ASK_MS).unref();
  }

  /** Resolves to whether the definitions were read again. Never rejects. */
  look(): Promise<boolean> {
    this.looking ??= this.compare().finally(() => (this.looking = undefined));
    return this.looking;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** A pool listens until it closes. */
  listen(sql: SQL): void {
    const onNotify = (payload: string) => {
      if (payload !== '' && payload !== 'reload schema') return;
      this.isRequested = true;
      void this.look().then(() => this.isRequested && this.look());
    };
    // Without notifications, it still asks.
    sql.listen(CHANNEL, onNotify).catch(() => undefined);
  }

  private async compare(): Promise<boolean> {
    let found = this.known;
    try {
      found = await this.definitions();
      if (found === this.known && !this.isRequested) return false;
      this.isRequested = false;
      await this.describeAgain();
      this.known = found;
      this.notice('info', 'the definitions in the database have changed, and were read again');
      return true;
    } catch (error) {
      // While the database does not answer, the requests say so.
      const isUnavailable = isLoss(error) || (error instanceof ApiError && error.status >= 500);
      // An internal error (class XX) is that of a definition which changes at the same time.
      if (isUnavailable || sqlState(error)?.startsWith('XX') === true) return false;
      // It would fail again, until the next change.
      this.known = found;
      this.notice('warn', `the database could not be described: ${error instanceof Error ? error.message : error}`);
      return false;
    }
  }
}
