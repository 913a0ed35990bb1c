/** Callers take turns: those who send many costly requests do not hold up the others. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { cleanUp, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

const SECRET = 'a secret of at least thirty-two characters';
const SHOP = {
  collections: { products: { fields: { id: 'int4', image: 'image' } } },
  roles: { anonymous: { products: { read: true, create: true } }, staff: 'all' },
};

/** A client that runs in another process until it is killed: `request` is the expression of its requests. */
const attacker = (clients: number, request: string) => `
  const url = process.argv.at(-1);
  let key = 0;
  for (let client = 0; client < ${clients}; client++) void attack();
  async function attack() {
    for (;;) {
      const response = await ${request};
      await response.arrayBuffer();
      process.send(response.status);
    }
  }
`;
const FORMS = attacker(
  4,
  `fetch(url + '/files', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\nx\\r\\n'.repeat(100_000),
  })`,
);
const LONG_FILTERS = attacker(
  200,
  "fetch(url + '/products?or=(' + Array.from({ length: 400 }, () => 'id.eq.' + ++key) + ')')",
);

test.each([
  ['rejected forms', FORMS, 400],
  ['long filters', LONG_FILTERS, 200],
])('a request is answered while another client sends %s without a pause', async (_, script, expected) => {
  const cwd = temporaryFolder();
  const declaration = join(cwd, 'shop.json');
  await Bun.write(declaration, JSON.stringify(SHOP));
  const service = await startService({ cwd, args: ['--collections', declaration, '--jwt-secret', SECRET] });
  const token = new SignJWT({ role: 'staff' }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1d');
  const headers = { authorization: `Bearer ${await token.sign(new TextEncoder().encode(SECRET))}` };
  const answered: number[] = [];
  const attack = Bun.spawn([process.execPath, '-e', script, '--', service.url], {
    ipc: (status) => answered.push(status as number),
  });
  await until('the attack has begun', () => answered.length > 10);
  /** How many requests of the attack were answered while a request waited. */
  const overtaken = async () => {
    const before = answered.length;
    expect(await (await service.fetch('/products', { headers })).json()).toEqual([]);
    return answered.length - before;
  };
  const others: Promise<number>[] = [];
  for (let count = 0; count < 60; count++) {
    others.push(overtaken());
    await Bun.sleep(20);
  }
  expect(Math.max(...(await Promise.all(others)))).toBeLessThan(100);
  attack.kill();
  await attack.exited;
  expect(new Set(answered)).toEqual(new Set([expected]));
});
