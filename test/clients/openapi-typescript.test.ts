/**
 * `openapi-typescript` generates types from the document of a running service, and `openapi-fetch` uses them. The
 * program below compiles only if rows, new rows and changes keep their types.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, type Service, startService, temporaryFolder } from '../support/processes/process.ts';

const MODULES = join(import.meta.dir, '../../node_modules');

const PROGRAM = `import createClient from 'openapi-fetch';
import type { paths } from './catalogue.ts';

const client = createClient<paths>({
  baseUrl: process.argv[2]!,
  querySerializer: { object: { style: 'form', explode: true } },
});
const listed = await client.GET('/products', { params: { query: { filter: { id: 'gt.2', or: '(id.lt.5,id.eq.9)' }, limit: 3 } } });
const names: string[] = listed.data!.map(({ product_name }) => product_name);
const prices: (number | null)[] = listed.data!.map(({ unit_price }) => unit_price);
const created = await client.POST('/products', { body: { product_name: 'Typed' }, params: { header: { Prefer: 'return=representation' } } });
const id: number = (created.data as { id: number }[])[0]!.id;
await client.PATCH('/products/{id}', { params: { path: { id } }, body: { unit_price: { increment: 2 }, units_in_stock: 7 } });
const one = await client.GET('/products/{id}', { params: { path: { id } } });
const stock: number | null = one.data!.units_in_stock;
const missing = await client.GET('/products/{id}', { params: { path: { id: 0 } } });
const code: string = missing.error!.code;
// @ts-expect-error The field does not exist.
listed.data![0]!.colour;
// @ts-expect-error The name is required.
await client.POST('/products', { body: { unit_price: 1 } });
console.log(JSON.stringify({ names, prices, stock, code }));
`;

let service: Service;
beforeAll(async () => {
  service = await startService({ cwd: temporaryFolder() });
});
afterAll(cleanUp);

test('generated types fit the rows, and the typed client reads and writes them', async () => {
  const folder = temporaryFolder();
  symlinkSync(MODULES, join(folder, 'node_modules'));
  const generate = `import { plugin } from 'bun';
import ts from 'typescript-5';
// It needs the compiler of version 5; later ones are not written in JavaScript.
plugin({ name: 'typescript', setup: (build) => build.module('typescript', () => ({ exports: { default: ts }, loader: 'object' })) });
const { default: openapiTS, astToString } = await import('openapi-typescript');
await Bun.write('catalogue.ts', astToString(await openapiTS(new URL('${service.url}/openapi.json'))));`;
  writeFileSync(join(folder, 'generate.ts'), generate);
  writeFileSync(join(folder, 'client.ts'), PROGRAM);
  const options = {
    module: 'Preserve',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  const compilerOptions = { ...options, target: 'ESNext', noUncheckedIndexedAccess: true, types: ['bun'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['client.ts'] }));
  const runBun = async (...args: string[]) => {
    const { exited, stdout, stderr } = Bun.spawn([process.execPath, ...args], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, problems, exitCode] = [await stdout.text(), await stderr.text(), await exited];
    expect({ args, exitCode, problems: exitCode === 0 ? '' : out + problems }).toEqual({
      args,
      exitCode: 0,
      problems: '',
    });
    return out;
  };
  await runBun('generate.ts');
  await runBun(join(MODULES, '.bin/tsc'));
  expect(JSON.parse(await runBun('client.ts', service.url))).toEqual({
    names: ['Aniseed Syrup', "Chef Anton's Cajun Seasoning", 'Mishi Kobe Niku'],
    prices: [10, 22, 97],
    stock: 7,
    code: 'CAT404',
  });
});
