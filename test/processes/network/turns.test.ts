/** Clients that connect again after each costly request leave turns to connections that are open. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { cleanUp, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

/** A process that sends such forms until it is killed. */
const ATTACKER = `
  const part = '--b\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\nx\\r\\n';
  const body = part.repeat(100_000) + '--b--\\r\\n';
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  for (let client = 0; client < 4; client++) void attack();
  async function attack() {
    for (;;) {
      const { status } = await fetch(process.argv.at(-1), { method: 'POST', headers, body });
      process.send(status);
    }
  }
`;

test('open connections are served while others send rejected forms without a pause', async () => {
  const cwd = temporaryFolder();
  const declaration = join(cwd, 'shop.json');
  await Bun.write(
    declaration,
    JSON.stringify({ collections: { products: { fields: { id: 'int4', image: 'image' } } } }),
  );
  const service = await startService({ cwd, args: ['--collections', declaration] });
  const answered: number[] = [];
  const attacker = Bun.spawn([process.execPath, '-e', ATTACKER, '--', `${service.url}/files`], {
    ipc: (status) => answered.push(status as number),
  });
  await until('the first forms are rejected', () => answered.length > 10);
  /** How many forms were answered while a request waited. */
  const overtaken = async () => {
    const before = answered.length;
    expect(await (await service.fetch('/products')).json()).toEqual([]);
    return answered.length - before;
  };
  const others: Promise<number>[] = [];
  for (let count = 0; count < 60; count++) {
    others.push(overtaken());
    await Bun.sleep(20);
  }
  expect(Math.max(...(await Promise.all(others)))).toBeLessThan(100);
  attacker.kill();
  await attacker.exited;
  expect(new Set(answered)).toEqual(new Set([400]));
}, 60_000);
