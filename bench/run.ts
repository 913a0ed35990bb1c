/**
 * `npm run bench`: compares the service with bare baselines, alternating in one run so that the ratios are valid on a
 * noisy machine. See docs/internals/performance.md.
 */
import { FULL, QUICK } from './alternate.ts';
import type { Case } from './case.ts';
import { bulkCases } from './cases/bulk.ts';
import { countCase } from './cases/count.ts';
import { exportCases } from './cases/export.ts';
import { latencyCases } from './cases/latency.ts';
import { millionCases } from './cases/million.ts';
import { needPeers, peerCases } from './cases/peers.ts';
import { postgresCases } from './cases/postgres.ts';
import { roleCases } from './cases/roles.ts';
import { shopCases } from './cases/shop.ts';
import { smallCases } from './cases/small.ts';
import { startCase } from './cases/start.ts';
import { keepToLoadCore } from './cores.ts';
import { writeGoals, writePeers } from './docs.ts';
import { type Fixtures, withFixtures } from './fixtures.ts';
import { needWrk } from './load.ts';
import { machine } from './machine.ts';
import { readOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { line, PEER_TITLES, table } from './table.ts';

const CASES: readonly Case[] = [
  ...smallCases,
  ...shopCases,
  ...roleCases,
  ...postgresCases,
  ...millionCases,
  countCase,
  ...exportCases,
  ...bulkCases,
  ...latencyCases,
  startCase,
];

const { quick, only, write, peers } = readOptions(process.argv.slice(2));
needWrk();
if (peers) needPeers();
keepToLoadCore();

async function runAll(fixtures: Fixtures, cases: readonly Case[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const each of cases) {
    for (const outcome of [await each.run(fixtures, quick ? QUICK : FULL)].flat()) {
      outcomes.push(outcome);
      console.error(line(outcome));
    }
  }
  return outcomes;
}

function chosen(cases: readonly Case[]): readonly Case[] {
  return cases.filter((each) => (only === undefined || each.name.includes(only)) && (!quick || each.quick === true));
}

await withFixtures(async (fixtures) => {
  const goals = await runAll(fixtures, chosen(CASES));
  const others = peers ? await runAll(fixtures, chosen(peerCases)) : [];
  console.log(await machine());
  if (goals.length > 0) console.log(`\n${table(goals)}`);
  if (others.length > 0) console.log(`\n${table(others, PEER_TITLES)}`);
  if (write) {
    await writeGoals(goals);
    if (peers) await writePeers(others);
  }
});
