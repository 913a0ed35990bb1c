/**
 * `npm run dev`: runs the service from its sources, and starts it again after every change in `src`. The console has
 * readable scripts, source maps and the checks of React (StrictMode). Flags are those of `catalogue serve`.
 */
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { MAIN } from './program.ts';

/** An editor writes several files at once. */
const QUIET_MS = 100;

function start(): Bun.Subprocess {
  return Bun.spawn([process.execPath, '--max-http-header-size=1048576', MAIN, 'serve', ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'development' },
  });
}

let service = start();
let change: Timer | undefined;
let restart = Promise.resolve();

watch(join(dirname(import.meta.dir), 'src'), { recursive: true }, () => {
  clearTimeout(change);
  change = setTimeout(() => {
    restart = restart.then(async () => {
      service.kill();
      await service.exited;
      service = start();
    });
  }, QUIET_MS);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    service.kill(signal);
    process.exit(await service.exited);
  });
}
