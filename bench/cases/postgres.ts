/** The same three reads on PostgreSQL, beside a bare server that asks the same database. */
import { alternate, expectSame } from '../alternate.ts';
import type { Case } from '../case.ts';
import { READS } from './reads.ts';

export const postgresCases: readonly Case[] = Object.values(READS).map(({ name, script, samples }) => ({
  name: `PostgreSQL: ${name}, URLs all different`,
  quick: true,
  async run(fixtures, pace) {
    const [baseline, service] = [await fixtures.barePostgres(), await fixtures.serviceOnPostgres()];
    await expectSame(baseline, service, samples);
    const load = { script };
    return alternate(
      {
        name: this.name,
        goal: { kind: 'share', atLeast: 0.7 },
        baseline: { server: baseline, load },
        service: { server: service, load },
      },
      pace,
    );
  },
}));
