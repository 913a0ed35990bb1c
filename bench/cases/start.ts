/** The time from process start to the first response, and the memory of an idle service. */
import type { Case } from '../case.ts';
import { summarise } from '../outcome.ts';
import { residentMegabytes } from '../readings.ts';
import { startService } from '../servers.ts';

const STARTS = 10;

export interface Starts {
  readonly milliseconds: number[];
  readonly megabytes: number[];
}

export async function firstAnswers(database: string): Promise<Starts> {
  const starts: Starts = { milliseconds: [], megabytes: [] };
  for (let start = 0; start < STARTS; start++) {
    const started = performance.now();
    const service = await startService(database, { pinned: false });
    starts.milliseconds.push(performance.now() - started);
    await Bun.sleep(500);
    starts.megabytes.push(await residentMegabytes(service.pid));
    await service.stop();
  }
  return starts;
}

export const startCase: Case = {
  name: 'a million: start',
  async run(fixtures) {
    const { milliseconds, megabytes } = await firstAnswers(await fixtures.million());
    return [
      summarise({
        name: `${this.name}, first answer after`,
        unit: 'ms',
        goal: { kind: 'bound', under: 300 },
        service: milliseconds,
      }),
      summarise({
        name: `${this.name}, idle memory`,
        unit: 'MB',
        goal: { kind: 'bound', under: 90 },
        service: megabytes,
      }),
    ];
  },
};
