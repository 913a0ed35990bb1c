/**
 * Returns the memory of a burst of large requests to the system. An idle process collects garbage late, so this runs
 * the collector on every thread after a second without requests: they would wait for it. It repeats while that frees
 * memory, and then backs off.
 */
import type { RunningServer } from './server.ts';

const EVERY_MS = 1_000;
/** Memory below this size is left alone. */
const MIN_RSS_BYTES = 128 * 1024 * 1024;
/** Freed memory that justifies another run. */
const MIN_FREED_BYTES = 8 * 1024 * 1024;
const GROWN_BYTES = 64 * 1024 * 1024;
/** Threads and finishing requests release memory with a delay. */
const RETRIES = 4;
/** In ticks of the timer. */
const MAX_PAUSE = 64;
/** Feeds and slow downloads may continue. */
const FEW_REQUESTS = 2;

/** `collectOtherThreads` runs the collector of the other threads. Returns a function that ends the watch. */
export function watchMemory(listening: () => RunningServer | undefined, collectOtherThreads: () => void): () => void {
  let before = 0;
  let received = 0;
  let failedRuns = 0;
  let wait = 0;
  const timer = setInterval(() => {
    const bytes = process.memoryUsage.rss();
    const server = listening();
    const isQuiet = server === undefined || (server.received() === received && server.inProgress() <= FEW_REQUESTS);
    received = server?.received() ?? 0;
    const isWorthIt = bytes <= before - MIN_FREED_BYTES || bytes >= before + GROWN_BYTES;
    wait--;
    if (bytes < MIN_RSS_BYTES || !isQuiet || (wait > 0 && !isWorthIt)) return;
    failedRuns = isWorthIt ? 0 : failedRuns + 1;
    wait = failedRuns < RETRIES ? 1 : Math.min(2 ** (failedRuns - RETRIES), MAX_PAUSE);
    before = bytes;
    collectOtherThreads();
    Bun.gc(true);
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
