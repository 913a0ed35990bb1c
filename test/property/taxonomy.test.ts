/** A real taxonomy in two languages, if it is there: imported at once, equal to a walk of its own, with fallback. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { parseCsv } from '../support/csv.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { run, temporaryFolder } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const FILE = fileURLToPath(new URL('../../../shared/data/taxonomy/categories.csv', import.meta.url));
const YAML = `collections:
  categories:
    fields:
      id: text
      parent_id: { type: text, references: categories, indexed: true }
      name: { type: text, translations: [de] }
`;

describe.skipIf(!existsSync(FILE))('the taxonomy', () => {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : 'id,parent_id,name,name_de\n';
  const [, ...categories] = parseCsv(text) as [unknown, ...[string, string | null, string, string | null][]];
  const below = (root: string) => {
    const found = new Set([root]);
    for (let size = 0; size < found.size; ) {
      size = found.size;
      for (const [id, parent] of categories) if (parent !== null && found.has(parent)) found.add(id);
    }
    return [...found].sort();
  };

  test('is imported by one command', async () => {
    const cwd = temporaryFolder();
    await Bun.write(`${cwd}/collections.yaml`, YAML);
    await run({ cwd, args: ['migrate'] });
    const { exitCode } = await run({ cwd, args: ['import', FILE, '--collection', 'categories', '--mode', 'insert'] });
    const counted = await run({ cwd, args: ['query', 'categories?select=count()', '--json'] });
    expect([exitCode, JSON.parse(counted.stdout)]).toEqual([0, [{ count: categories.length }]]);
  });

  test.each(['SQLite', 'PostgreSQL'])(
    'has the same parts as a walk, and names with fallback, on %s',
    async (engine) => {
      const catalogue = declaredBy(YAML);
      const rows = categories.map(([id, parent_id, name, name_de]) => ({ id, parent_id, name, name_de }));
      const service = await openDeclaredEngine(engine, catalogue, { categories: rows });
      const app = createApp({ catalogue, engine: service, maxBodyBytes: 2 ** 24, allowUnfilteredWrites: true });
      const list = async (path: string, headers = {}) =>
        (await (await app.fetch(new Request(`http://x${path}`, { headers }))).json()) as Record<string, string>[];
      const tops = categories.filter(([, parent]) => parent === null).slice(0, 5);
      for (const [id] of tops) {
        const found = await list(`/categories?select=id&id=within.${encodeURIComponent(id)}`);
        expect(found.map((row) => row.id)).toEqual(below(id));
      }
      const [deepest] = await list('/categories?select=id&order=id(depth).desc&limit=1');
      const above = await list(`/categories?select=id,parent_id&id=above.${deepest!.id}&order=id(depth)`);
      expect(above[0]!.parent_id).toBe(null as never);
      above.slice(1).forEach((row, at) => void expect(row.parent_id).toBe(above[at]!.id!));
      await app.fetch(new Request('http://x/categories?id=gt.h', sendJson('PATCH', { name_de: null })));
      const german = await list('/categories?select=id,name&order=id', { 'accept-language': 'de' });
      const expected = categories
        .map(([id, , name, translated]) => ({ id, name: id > 'h' ? name : (translated ?? name) }))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      expect(german).toEqual(expected);
      const missing = await list('/categories?select=count()&name_de=is.null');
      expect(Number(missing[0]!.count)).toBeGreaterThan(categories.length / 4);
      await service.close();
    },
  );
});
