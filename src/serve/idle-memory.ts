/**
 * What a burst of large requests leaves lying about is given back soon after it: the collector takes its time when little is asked of the
 * process. So it is asked to run, on every thread, once hardly any request is under way: some times, again as long as that gives
 * something back, and then ever more rarely.
 */
const EVERY_MS = 1_000;
/** Below this much nobody minds. */
const MUCH_BYTES = 128 * 1024 * 1024;
/** What is worth another time. */
const WORTH_BYTES = 8 * 1024 * 1024;
const GROWN_BYTES = 64 * 1024 * 1024;
/** Threads, and what was under way, take their time to let go of it. */
const TIMES = 4;
/** In turns of the timer. */
const LONGEST_PAUSE = 64;
/** The others wait for the collector. */
const FEW_REQUESTS = 2;

/** `collectElsewhere` asks the other threads, which take their time. Returns what ends it. */
export function watchMemory(inProgress: () => number, collectElsewhere: () => void): () => void {
  let before = 0;
  let inVain = 0;
  let wait = 0;
  const timer = setInterval(() => {
    const bytes = process.memoryUsage.rss();
    const isWorthIt = bytes <= before - WORTH_BYTES || bytes >= before + GROWN_BYTES;
    wait--;
    if (bytes < MUCH_BYTES || inProgress() > FEW_REQUESTS || (wait > 0 && !isWorthIt)) return;
    inVain = isWorthIt ? 0 : inVain + 1;
    wait = inVain < TIMES ? 1 : Math.min(2 ** (inVain - TIMES), LONGEST_PAUSE);
    before = bytes;
    collectElsewhere();
    Bun.gc(true);
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
