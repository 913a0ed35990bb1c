/**
 * What a burst of large requests leaves lying about is given back soon after it: the collector takes its time when little is asked of the
 * process. So it is asked to run, once hardly any request is under way and memory has grown since the last time.
 */
const EVERY_MS = 1_000;
/** Below this much nobody minds. */
const MUCH_BYTES = 128 * 1024 * 1024;
const GROWN_BYTES = 64 * 1024 * 1024;
/** The others wait for the collector. */
const FEW_REQUESTS = 2;

/** Returns what ends it. */
export function watchMemory(inProgress: () => number): () => void {
  let after = 0;
  const timer = setInterval(() => {
    const bytes = process.memoryUsage.rss();
    if (bytes < MUCH_BYTES || bytes < after + GROWN_BYTES || inProgress() > FEW_REQUESTS) return;
    Bun.gc(true);
    after = process.memoryUsage.rss();
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
