/** The 77 products on SQLite: unique reads, repeated reads, and writes. */
import { alternate, alternateAnew, besideBare } from '../alternate.ts';
import type { Case } from '../case.ts';
import { post } from '../load.ts';
import { startConstant, startService } from '../servers.ts';
import { READS } from './reads.ts';

const byId = { script: READS.byId.script };

export const NEW_PRODUCT = post(
  '{"product_name":"New product","supplier_id":1,"category_id":1,"unit_price":12.5,"units_in_stock":3}',
);

const allDifferent: readonly Case[] = Object.values(READS).map(({ name, script, samples }) => ({
  name: `${name}, URLs all different`,
  quick: true,
  async run(fixtures, pace) {
    const servers = [await fixtures.bareSqlite(), await fixtures.service()] as const;
    return besideBare({ name: this.name, servers, script, samples }, pace);
  },
}));

const repeated: readonly Case[] = [
  { name: 'the same item again', path: '/products/1', quick: false },
  { name: 'the same list again', path: '/products', quick: true },
].map(({ name, path, quick }) => ({
  name,
  quick,
  async run(fixtures, pace) {
    let turn = 0;
    const start = async () => {
      const service = await startService(fixtures.path(`${path.replaceAll('/', '-')}-${++turn}.db`));
      const constant = await startConstant(`${service.url}${path}`);
      return { baseline: { server: constant, load: { path } }, service: { server: service, load: { path } } };
    };
    return alternateAnew({ name, goal: { kind: 'share', atLeast: 0.85 } }, start, pace);
  },
}));

const known: Case = {
  name: 'If-None-Match hits, beside the list itself',
  quick: true,
  async run(fixtures, pace) {
    const server = await fixtures.service();
    const { headers } = await fetch(`${server.url}/products`, { headers: { 'accept-encoding': 'identity' } });
    const script = `wrk.headers["If-None-Match"] = '${headers.get('etag')}'`;
    return alternate(
      {
        name: this.name,
        goal: { kind: 'share', atLeast: 1 },
        baseline: { server, load: { path: '/products' } },
        service: { server, load: { path: '/products', script } },
      },
      pace,
    );
  },
};

/** The second case has no goal: it shows what a server without the service's work reaches. */
const stored: readonly Case[] = [
  { name: 'durable POST of one product', goal: { kind: 'share', atLeast: 0.5 } as const, isBare: false },
  { name: 'durable POST by a bare server', goal: undefined, isBare: true },
].map(({ name, goal, isBare }) => ({
  name: `${name}, beside bare GET by id`,
  quick: !isBare,
  async run(fixtures, pace) {
    const server = isBare ? await fixtures.barePost() : await fixtures.serviceForWrites();
    const baseline = { server: await fixtures.bareSqlite(), load: byId };
    const service = { server, load: { path: '/products', script: NEW_PRODUCT } };
    return alternate({ name: this.name, goal, baseline, service }, pace);
  },
}));

export const smallCases: readonly Case[] = [...allDifferent, ...repeated, known, ...stored];
