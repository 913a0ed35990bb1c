/** Removes orphaned files in small steps. A step that fails, as while the storage is down, is repeated later. */
import { CLEANUP_LOG_MS, ORPHAN_CHECK_MS } from '../base/limits/files.ts';
import type { Log } from '../observe/log.ts';

/** Returns a function that ends it. */
export function watchOrphans(
  { removeOrphans }: { readonly removeOrphans: () => Promise<unknown> },
  log: Log,
  everyMs: number = ORPHAN_CHECK_MS,
): () => void {
  let isRunning = false;
  /** When each kind of failure, by its message, was logged last. */
  const loggedAt = new Map<string, number>();
  const report = (error: unknown) => {
    const { message, cause } = error as Error;
    if (performance.now() - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < CLEANUP_LOG_MS) return;
    loggedAt.set(message, performance.now());
    const reason = typeof cause === 'string' ? cause : message;
    log.write('warn', 'files that no row refers to could not be removed; the service tries again', { reason });
  };
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await removeOrphans().catch(report);
    isRunning = false;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
