/**
 * `npm run bench:abuse`: measures the effect of attacks on other clients, on both engines. It reports their slowest
 * requests and the memory of the service. Attackers and bystander share the cores with the service: the bystander has
 * precedence, so that its delays are the service's. See docs/internals/load-tests.md.
 */
import { parseArgs } from 'node:util';
import { ATTACKS, type Attack, NOTHING } from './abuse/attacks.ts';
import type { Found } from './abuse/probe.ts';
import {
  type Goals,
  goalsBeyond,
  line,
  type Noticed,
  PRODUCTS_GOALS,
  PRODUCTS_GOALS_IN_WORDS,
  SHOP_GOALS_IN_WORDS,
  table,
} from './abuse/report.ts';
import { authorizationOf, SHOP_PRODUCTS, startShop } from './abuse/shop.ts';
import { SHOP_ATTACKS } from './abuse/shop-attacks.ts';
import { startProbe } from './abuse/start-probe.ts';
import { addLongRows, fill, Target } from './abuse/target.ts';
import { writeAbuse } from './docs.ts';
import { ENGINES } from './empty-databases.ts';
import { type Fixtures, MILLION, withFixtures } from './fixtures.ts';
import { generateCatalogue } from './generate.ts';
import { machine } from './machine.ts';
import { setNiceness } from './priority.ts';
import { forgetPeak, peakMegabytes, residentMegabytes } from './readings.ts';
import { startService } from './servers.ts';

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: String(MILLION) },
    /** The duration of each attack. */
    seconds: { type: 'string', default: '15' },
    engine: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [products, seconds] = [Number(values.products), Number(values.seconds)];
if (values.write && (values.only !== undefined || values.engine !== undefined)) {
  console.error('--write takes a whole run: leave --only and --engine out');
  process.exit(2);
}

/** The pause after preparing an attack, and after it, in which the service and the disk settle. */
const REST_MS = 5_000;

const isSelected = ({ name }: Attack<never>) => name.includes(values.only ?? '');

async function attackProducts(fixtures: Fixtures, engine: string): Promise<readonly Noticed[]> {
  const attacks = ATTACKS.filter(isSelected);
  if (attacks.length === 0) return [];
  console.error(`making ${products.toLocaleString('en')} products on ${engine} …`);
  const { database, flags } = await ENGINES[engine]!(fixtures, 'products');
  if (engine === 'SQLite') await generateCatalogue(database, products);
  const server = await startService(database, { flags: [...flags, '--empty'], pinned: false });
  if (engine !== 'SQLite') await fill(server, products);
  await addLongRows(server, products);
  const target = new Target(server, products);
  const all: Noticed[] = [];
  for (const attack of attacks) all.push(await run(target, attack, engine, [], () => PRODUCTS_GOALS));
  await server.stop();
  return all;
}

/** The baseline runs in any case, because the goals depend on it. */
async function attackShop(fixtures: Fixtures, engine: string): Promise<readonly Noticed[]> {
  const attacks = SHOP_ATTACKS.filter(isSelected);
  if (attacks.length === 0) return [];
  console.error(`making a shop of ${SHOP_PRODUCTS.toLocaleString('en')} products on ${engine} …`);
  const { database, flags } = await ENGINES[engine]!(fixtures, 'shop');
  const shop = await startShop(database, fixtures.path('shop.json'), flags);
  const bystander = [await authorizationOf('administrator', 'bystander')];
  const all = [await run(shop, NOTHING, engine, bystander, goalsBeyond)];
  const { goals } = all[0]!;
  for (const attack of attacks) all.push(await run(shop, attack, engine, bystander, () => goals));
  await shop.server.stop();
  return all;
}

async function run<Attacked extends Target>(
  target: Attacked,
  attack: Attack<Attacked>,
  engine: string,
  bystander: readonly string[],
  goalsOf: (found: Found) => Goals,
): Promise<Noticed> {
  const { pid, url } = target.server;
  if (attack.prepare !== undefined) {
    await attack.prepare(target);
    await Bun.sleep(REST_MS);
  }
  const stopProbe = await startProbe(url, target.products, bystander);
  await Bun.sleep(1_000);
  await forgetPeak(pid);
  target.begin(seconds);
  setNiceness(process.pid, 5);
  await attack.run(target).finally(() => setNiceness(process.pid, 0));
  const found = await stopProbe();
  const peak = await peakMegabytes(pid);
  await Bun.sleep(REST_MS);
  const [after, problem] = [await residentMegabytes(pid), await attack.check?.(target)];
  const noticed = { attack: attack.name, engine, found, peak, after, goals: goalsOf(found), problem };
  console.error(line(noticed));
  return noticed;
}

await withFixtures(async (fixtures) => {
  const onProducts: Noticed[] = [];
  const onShop: Noticed[] = [];
  for (const engine of Object.keys(ENGINES)) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    onProducts.push(...(await attackProducts(fixtures, engine)));
    onShop.push(...(await attackShop(fixtures, engine)));
  }
  const part = (title: string, goals: string, all: readonly Noticed[]) =>
    all.length === 0 ? [] : [`${title}, ${seconds} s each. Goals: ${goals}; what missed them is bold.`, table(all)];
  const text = [
    ...part(`${products.toLocaleString('en')} products`, PRODUCTS_GOALS_IN_WORDS, onProducts),
    ...part('The shop', SHOP_GOALS_IN_WORDS, onShop),
  ].join('\n\n');
  console.log(`${await machine()}\n\n${text}`);
  if (values.write) await writeAbuse(text);
});
