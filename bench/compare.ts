/**
 * `npm run bench:compare -- <commit> [<commit>]`: compares two versions of the service, as the ratio of the second to
 * the first. With one commit, it compares the working tree with that commit. The loads are those of `npm run bench`
 * with 77 products.
 */
import { parseArgs } from 'node:util';
import { alternate, FULL, type Pace } from './alternate.ts';
import { READS } from './cases/reads.ts';
import { NEW_PRODUCT } from './cases/small.ts';
import { checkOut, HERE, nameOf, type Version } from './checkout.ts';
import { keepToLoadCore } from './cores.ts';
import { withFixtures } from './fixtures.ts';
import { type Load, needWrk } from './load.ts';
import { machine } from './machine.ts';
import type { Outcome } from './outcome.ts';
import { type Server, startService } from './servers.ts';
import { line, table } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const [before, after] = positionals;
if (before === undefined || positionals.length > 2) {
  console.error('Usage: npm run bench:compare -- <commit> [<commit>] [--quick] [--only <word>]');
  process.exit(2);
}
for (const commit of positionals.filter((each) => nameOf(each) === undefined)) {
  console.error(`This checkout has no commit ${commit}`);
  process.exit(2);
}
needWrk();
keepToLoadCore();

/** Warms up as long as FULL. While the runtime still compiles, its compiler takes a third of the CPU time. */
const QUICK: Pace = { ...FULL, seconds: 1, rounds: 5 };

/** Writes come last, because they add products to the 77. */
const LOADS: readonly { readonly name: string; readonly loadOn: (server: Server) => Promise<Load> }[] = [
  ...Object.values(READS).map(({ name, script }) => ({
    name: `${name}, URLs all different`,
    loadOn: async () => ({ script }),
  })),
  { name: 'the same item again', loadOn: async () => ({ path: '/products/1' }) },
  { name: 'the same list again', loadOn: async () => ({ path: '/products' }) },
  { name: 'If-None-Match hits', loadOn: ifNoneMatch },
  { name: 'durable POST of one product', loadOn: async () => ({ path: '/products', script: NEW_PRODUCT }) },
];

async function ifNoneMatch({ url }: Server): Promise<Load> {
  const { headers } = await fetch(`${url}/products`);
  return { path: '/products', script: `wrk.headers["If-None-Match"] = '${headers.get('etag')}'` };
}

await withFixtures(async (fixtures) => {
  const versions: Version[] = [];
  const version = (commit: string | undefined) => {
    const made = commit === undefined ? HERE : checkOut(commit, fixtures.path(`checkout-${versions.length}`));
    versions.push(made);
    return made;
  };
  fixtures.atEnd(() => {
    for (const { remove } of versions) remove();
  });
  const [one, other] = [version(before), version(after)];
  const start = ({ root }: Version, database: string) => startService(fixtures.path(database), { root });
  const [baseline, service] = [await start(one, 'before.db'), await start(other, 'after.db')];
  const outcomes: Outcome[] = [];
  for (const { name, loadOn } of LOADS.filter((each) => each.name.includes(values.only))) {
    const pair = {
      name,
      baseline: { server: baseline, load: await loadOn(baseline) },
      service: { server: service, load: await loadOn(service) },
    };
    outcomes.push(await alternate(pair, values.quick ? QUICK : FULL));
    console.error(line(outcomes.at(-1)!));
  }
  console.log(`${await machine()}\n\n${table(outcomes, { baseline: one.name, service: other.name })}`);
});
