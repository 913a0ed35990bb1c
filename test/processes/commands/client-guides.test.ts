/**
 * The programs in the guides for clients: each prints what its page shows. All of them share one service, and leave the
 * catalogue as they find it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const ROOT = new URL('../../../', import.meta.url);
const ADDRESS = 'http://127.0.0.1:3000';
const read = (page: string) => readFileSync(new URL(`docs/how-to/${page}.md`, ROOT), 'utf8');
const PROGRAM_AND_OUTPUT = /^```(js|python)\n([\s\S]*?)^```\n```text\n([\s\S]*?)^```$/gm;

let service: Service;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'programs'));
  symlinkSync(new URL('node_modules', ROOT).pathname, join(folder, 'node_modules'));
  service = await startService({ cwd: folder, args: ['--log-level', 'error'] });
});
afterAll(cleanUp);

const programs = ['supabase-js', 'python'].flatMap((page) =>
  [...read(page).matchAll(PROGRAM_AND_OUTPUT)].map(([, language, code, output], index) => ({
    name: `${page} ${index + 1}`,
    language: language!,
    code: code!,
    output: output!,
  })),
);

/** Names the part that a machine lacks to run a Python program. */
function missing(code: string): string | undefined {
  if (Bun.which('python3') === null) return 'python3';
  const packages = [...code.matchAll(/^(?:import|from) (requests|postgrest)/gm)].map(([, name]) => name!);
  return packages.find((name) => !Bun.spawnSync(['python3', '-c', `import ${name}`]).success);
}

for (const { name, language, code, output } of programs) {
  const lacking = language === 'python' ? missing(code) : undefined;
  if (lacking !== undefined) console.error(`\nNOT TESTED HERE: the guide ${name}; ${lacking} is not installed.\n`);
  test.skipIf(lacking !== undefined)(`the program of ${name} prints what the page shows`, async () => {
    const file = join(folder, 'programs', `${name.replace(' ', '-')}.${language === 'js' ? 'mjs' : 'py'}`);
    writeFileSync(file, code.replaceAll(ADDRESS, service.url));
    const command = language === 'js' ? [process.execPath, file] : ['python3', file];
    const env = { ...process.env, PYTHONIOENCODING: 'utf-8', no_proxy: '*' };
    const child = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ stdout, stderr }).toEqual({ stdout: output, stderr: '' });
  });
}

test('the function of the guide to retries creates a product once, although its first response is lost', async () => {
  const [, code] = /```js\n([\s\S]*?)```/.exec(read('safe-retries'))!;
  const file = join(folder, 'send.mjs');
  writeFileSync(file, code!);
  const { send } = await import(file);
  let attempts = 0;
  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const response = await service.fetch(pathname, {
        method: request.method,
        headers: request.headers,
        body: await request.text(),
      });
      return ++attempts === 1 ? new Response('', { status: 502 }) : response;
    },
  });
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' };
  const { status } = await send(`${proxy.url}products`, sendJson('POST', { product_name: 'Once' }, headers));
  await proxy.stop(true);
  const rows = await (await service.fetch('/products?product_name=eq.Once&select=product_name')).json();
  expect({ status, attempts, rows }).toEqual({ status: 201, attempts: 2, rows: [{ product_name: 'Once' }] });
  await service.fetch('/products?product_name=eq.Once', { method: 'DELETE' });
});

test('the feed of the guide to changes sends the events that the page shows', async () => {
  const page = read('follow-changes');
  const [, path] = /curl -N .*'http:\/\/127.0.0.1:3000(.+)'/.exec(page)!;
  const [, shown] = /```text\n([\s\S]*?)```/.exec(page)!;
  const stop = new AbortController();
  const headers = { accept: 'text/event-stream' };
  const response = await service.fetch(path!, { headers, signal: stop.signal });
  const withoutIds = (text: string) => text.replaceAll(/^(id|retry|:).*\n/gm, '').trim();
  let text = '';
  let isChanged = false;
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('event: update') && text.endsWith('\n\n')) break;
    if (isChanged || !text.includes('event: ready')) continue;
    isChanged = true;
    await service.fetch('/products?id=eq.3', sendJson('PATCH', { units_in_stock: { decrement: 2 } }));
  }
  stop.abort();
  expect(withoutIds(text)).toBe(withoutIds(shown!));
  await service.fetch('/products?id=eq.3', sendJson('PATCH', { units_in_stock: { increment: 2 } }));
});
