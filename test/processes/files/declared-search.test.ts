/** The index of a declared search equals a new one after random writes, a kill, an import, an undo and a restore. */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { seededRandom } from '../../support/generated/runs.ts';
import {
  cleanUp,
  type Environment,
  run,
  type Service,
  startService,
  temporaryFolder,
} from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const DECLARATION = `
collections:
  brands:
    fields: { id: int4, name: text }
  products:
    fields: { sku: text, name: text, brand_id: { type: int4, references: brands } }
    key: sku
    search: { fields: { name: 3, brand_id.name: 2, sku: 2 }, language: english }
`;
const WORDS = 'red green blue shoe shoes shirt running runner leather cotton winter jacket light'.split(' ');
const QUERIES = [...WORDS, 'red sho', 'jackett', '"red shoe"', 'shoe -red', 'green or blue', 'k-7', 'runing jaket'];
const random = seededRandom();
const below = (count: number) => Math.floor(random() * count);
const text = () => Array.from({ length: 1 + below(4) }, () => WORDS[below(WORDS.length)]).join(' ');
const product = () => ({ sku: `K-${below(60)}`, name: text(), brand_id: 1 + below(3) });

function anyWrite(service: Service): Promise<Response> {
  const { sku, name, brand_id } = product();
  const path = `/products?sku=eq.${sku}`;
  const merge = sendJson('POST', Array.from({ length: 1 + below(5) }, product), {
    prefer: 'resolution=merge-duplicates',
  });
  const writes: (readonly [string, RequestInit])[] = [
    ['/products', { ...merge, body: JSON.stringify([{ sku, name, brand_id }]) }],
    [path, sendJson('PATCH', { name })],
    [path, { method: 'DELETE' }],
    [`/brands?id=eq.${brand_id}`, sendJson('PATCH', { name })],
  ];
  return service.fetch(...writes[below(writes.length)]!);
}

const ENGINES: readonly (readonly [string, () => Environment])[] = [
  ['SQLite', () => ({})],
  ['PostgreSQL', () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() })],
];

test.each(ENGINES)(
  'the index of a declared search on %s survives',
  async (engine, newEnvironment) => {
    const [cwd, env] = [temporaryFolder(), newEnvironment()];
    writeFileSync(join(cwd, 'collections.yaml'), DECLARATION);
    const start = () => startService({ cwd, env, args: ['--log-level', 'error'] });
    const command = async (...args: string[]) => expect(await run({ cwd, env, args })).toMatchObject({ exitCode: 0 });
    const execute = async (sql: string): Promise<void> => {
      if (engine === 'PostgreSQL') return void (await testServer.admin.unsafe(sql));
      const db = new Database(join(cwd, 'catalogue.db'));
      db.run(sql);
      db.close();
    };
    const answers = async (service: Service) => {
      const found: unknown[] = [];
      for (const words of QUERIES) {
        const path = `/products?search=wfts.${encodeURIComponent(words)}&select=sku,search,search->highlight`;
        const response = await service.fetch(path);
        expect(response.status).toBe(200);
        found.push([words, await response.json()]);
      }
      return found;
    };
    const kill = async (service: Service) => {
      service.kill('SIGKILL');
      await service.exited;
    };

    let service = await start();
    /** Indexes rows that changed. */
    const search = () => service.fetch('/products?search=wfts.red');
    await service.fetch(
      '/brands',
      sendJson(
        'POST',
        [1, 2, 3].map((id) => ({ id, name: text() })),
      ),
    );
    for (let nth = 0; nth < 40; nth++) {
      expect((await anyWrite(service)).status).toBeLessThan(300);
      if (nth % 8 === 0) await search();
    }
    const unanswered = Array.from({ length: 10 }, () => anyWrite(service).catch(() => undefined));
    await Promise.race([...unanswered, search()]);
    await kill(service);
    await Promise.all(unanswered);

    service = await start();
    await search();
    if (engine === 'SQLite') {
      await command('backup', 'copy.db');
      for (let nth = 0; nth < 10; nth++) await anyWrite(service);
      await search();
      await command('restore', 'copy.db', '--force');
    }
    writeFileSync(join(cwd, 'more.csv'), 'sku,name,brand_id\nK-7,red leather shoe,1\nK-99,winter jacket,2\n');
    await command('import', 'more.csv', '--collection', 'products', '--on-conflict', 'merge');
    await service.fetch('/products?sku=eq.K-99', sendJson('PATCH', { name: 'light shirt' }));
    await search();
    const [change] = (await (await service.fetch('/changes?order=seq.desc&limit=1')).json()) as { seq: number }[];
    expect((await service.fetch(`/changes/undo?seq=eq.${change!.seq}`, { method: 'POST' })).status).toBe(200);
    const maintained = await answers(service);
    expect(maintained.flat(3)).toContainEqual(expect.objectContaining({ sku: 'K-99' }));
    await command('check');
    await kill(service);

    await execute(`drop table ${engine === 'PostgreSQL' ? `${env.CATALOGUE_SCHEMA}.` : ''}_products_search_words`);
    service = await start();
    expect(await answers(service)).toEqual(maintained);
  },
  240_000,
);
