/** Removes old rows from time to time, beside a write. Any instance may do it, and no request waits. */

import type { Statement } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';

export class Pruner {
  private nextAt: number;

  /** `statement` returns the number of `removed` rows. After at least `most`, the next write continues. */
  constructor(
    private readonly statement: Statement,
    private readonly most: number,
    private readonly everyMs: number,
  ) {
    this.nextAt = performance.now() + everyMs;
  }

  prune(runner: Runner): void {
    if (performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + this.everyMs;
    void this.step(runner).catch(() => undefined);
  }

  async step(runner: Runner): Promise<number> {
    const [found] = await query<{ removed: number }>(runner, this.statement);
    if (found!.removed >= this.most) this.nextAt = performance.now();
    return found!.removed;
  }
}
