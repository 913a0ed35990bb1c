/** The time to count a million products, compared with the bare statement. */
import type { Case } from '../case.ts';
import { summarise } from '../outcome.ts';

const REPEATS = 15;

export const countCase: Case = {
  name: 'a million: count=exact, beside a bare select count(*)',
  async run(fixtures) {
    const [loops, service] = [await fixtures.loopsOnMillion(), await fixtures.serviceOnMillion()];
    const bare: number[] = [];
    const counted: number[] = [];
    for (let repeat = -3; repeat < REPEATS; repeat++) {
      const { milliseconds } = (await (await fetch(`${loops.url}/count`)).json()) as { milliseconds: number };
      const started = performance.now();
      const response = await fetch(`${service.url}/products?limit=1`, {
        headers: { prefer: `count=exact, n=${repeat}` },
      });
      await response.text();
      const took = performance.now() - started;
      if (!response.headers.get('content-range')?.endsWith('/1000000')) throw new Error('the count is wrong');
      // The first repetitions are the warm-up.
      if (repeat < 0) continue;
      bare.push(milliseconds);
      counted.push(took);
    }
    return summarise({
      name: this.name,
      unit: 'ms',
      goal: { kind: 'times', under: 3 },
      baseline: bare,
      service: counted,
    });
  },
};
