/** The three reads on PostgreSQL, compared with a bare server that queries the same database. */
import { besideBare } from '../alternate.ts';
import type { Case } from '../case.ts';
import { READS } from './reads.ts';

export const postgresCases: readonly Case[] = Object.values(READS).map(({ name, script, samples }) => ({
  name: `PostgreSQL: ${name}, URLs all different`,
  quick: true,
  async run(fixtures, pace) {
    const servers = [await fixtures.barePostgres(), await fixtures.serviceOnPostgres()] as const;
    return besideBare({ name: this.name, servers, script, samples }, pace);
  },
}));
