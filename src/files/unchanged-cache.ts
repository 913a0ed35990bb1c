/** Caches values that were read from the data, until any process commits a change. */
import { MAX_CACHED_TEXT_LENGTH } from '../base/limits/http.ts';
import { LruCache } from '../base/memo.ts';
import type { ChangeCounter } from '../engine/engine.ts';

export class UnchangedCache<T> {
  private readonly values: LruCache<T>;
  /** The change count of the values. */
  private changeCount = Number.NaN;

  /** Without a change counter nothing is cached. */
  constructor(
    private readonly changes: ChangeCounter | undefined,
    max: number,
  ) {
    this.values = new LruCache(max);
  }

  /** Taken before a read. */
  current(): number {
    return this.changes?.current() ?? Number.NaN;
  }

  get(key: string): T | undefined {
    const changeCount = this.current();
    if (changeCount !== this.changeCount) this.values.clear();
    this.changeCount = changeCount;
    return this.values.get(key);
  }

  /** `changeCount` is the one before the read. */
  set(key: string, value: T, changeCount: number): void {
    if (changeCount === this.changeCount && key.length <= MAX_CACHED_TEXT_LENGTH) this.values.set(key, value);
  }
}
