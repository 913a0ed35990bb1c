/** Commands with computed fields: an export comes back by an import, and backups, copies and types have them. */
import { afterEach, describe, expect, test } from 'bun:test';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp } from '../../support/processes/process.ts';
import { workspace } from '../../support/processes/workspace.ts';

afterEach(cleanUp);

const DECLARATION = `collections:
  products:
    fields:
      id: int4
      price: 'decimal(18,2)'
      cost: 'decimal(18,2)'
      margin: { type: 'decimal(18,2)', computed: price - cost, unique: true }
`;
const ROWS = 'id,price,cost,margin\n1,5,1.25,3.75\n2,1234567890123456.78,0.01,1234567890123456.77\n';

describe.each(DATABASES)('computed fields, %s', (_, environment) => {
  test('import leaves them out and names a mapping to them; export, backup, copy, check and types have them', async () => {
    const env = environment();
    const space = workspace(env);
    space.write('collections.yaml', DECLARATION);
    space.write('rows.csv', ROWS.replace('3.75', '99'));
    const run = async (...words: string[]) => {
      const { exitCode, stdout, stderr } = await space.command(...words);
      expect([words, exitCode, stderr]).toEqual([words, 0, '']);
      return stdout;
    };
    await run('import', 'rows.csv');
    expect(await run('export', '--format', 'csv')).toBe(ROWS);
    space.write('more.csv', 'id,price,cost,margin\n1,6,1,\n3,9,,0\n');
    await run('import', 'more.csv', '--mode', 'upsert');
    expect(await run('export', '--format', 'csv')).toContain('\n1,6,1,5\n');
    const mapped = await space.command('import', 'rows.csv', '--map', 'price=margin');
    expect(mapped.stderr).toContain('--map price=margin: margin is computed');
    await run('copy', '--from', env.DATABASE_URL!, '--to', 'sqlite:copy.db');
    expect(await run('export', '--format', 'csv', '--database', 'sqlite:copy.db')).toContain('\n3,9,,\n');
    await run('backup', 'saved.db', '--database', 'sqlite:copy.db');
    await run('check', '--database', 'sqlite:saved.db');
    const types = await run('types');
    expect(types.match(/margin/g)).toHaveLength(1);
  });
});
