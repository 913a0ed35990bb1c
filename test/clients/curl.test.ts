/** curl with the options that people commonly use. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, fileServices } from '../support/processes/file-services.ts';
import { cleanUp, type Service, temporaryFolder } from '../support/processes/process.ts';

const HAS_CURL = Bun.which('curl') !== null;
/** `--json` requires curl 7.82, and also sends Accept: application/json. `--fail-with-body` requires 7.76. */
const [, MAJOR, MINOR] = HAS_CURL
  ? (/curl (\d+)\.(\d+)/.exec(Bun.spawnSync(['curl', '-V']).stdout.toString()) ?? [])
  : [];
const IS_OLD = Number(MAJOR) < 7 || (Number(MAJOR) === 7 && Number(MINOR) < 82);
const newer = IS_OLD ? test.skip : test;
if (!HAS_CURL) console.error('\nNOT TESTED HERE: curl, which is not installed.\n');

let service: Service;
let folder: string;

const services = fileServices();

afterAll(async () => {
  const faults = services.stderr();
  await cleanUp();
  expect(faults).toBe('');
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Runs curl with the given arguments. `/products…` stands for the URL of the service. */
async function curl(...args: string[]): Promise<Answer> {
  const urls = args.map((arg) => (arg.startsWith('/products') ? `${service.url}${arg}` : arg));
  const child = Bun.spawn(['curl', '--silent', '--show-error', '--noproxy', '*', '--include', ...urls], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  // Removes an interim response (100 Continue) before the final one.
  const final = stdout.replace(/^(HTTP\/1\.1 1\d\d[^\r]*\r\n(?:[^\r]+\r\n)*\r\n)*/, '');
  const [head = '', ...rest] = final.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Headers(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)])),
    body: rest.join('\r\n\r\n'),
  };
}

async function stored(query: string): Promise<Record<string, unknown>[]> {
  return (await (await service.fetch(`/products?${query}`)).json()) as Record<string, unknown>[];
}

const WHERE = HAS_CURL ? '' : ' (SKIPPED: curl is not installed)';

describe.skipIf(!HAS_CURL).each(FILES)(`curl on %s${WHERE}`, (file) => {
  beforeAll(async () => {
    folder = temporaryFolder();
    service = await services.on(file);
  });

  test('-d sends a form, which is stored as a product', async () => {
    const { status, headers, body } = await curl(
      '-d',
      'product_name=Crème+brûlée&unit_price=7.5&units_in_stock=3',
      '/products',
    );
    expect({ status, body }).toEqual({ status: 201, body: '' });
    const location = headers.get('location')!;
    expect(location).toMatch(/^\/products\?id=eq\.\d+$/);
    expect(await stored(`${location.split('?')[1]}`)).toMatchObject([
      { product_name: 'Crème brûlée', unit_price: 7.5, units_in_stock: 3, discontinued: 0, category_id: null },
    ]);
  });

  test('several -d and --data-urlencode options form one body', async () => {
    const { status, body } = await curl(
      ...['-d', 'id=2001', '--data-urlencode', 'product_name=Salt & "Pepper" = 100%', '-d', 'category_id=2'],
      ...['-H', 'Prefer: return=representation', '/products'],
    );
    expect(status).toBe(201);
    expect(JSON.parse(body)).toMatchObject([{ id: 2001, product_name: 'Salt & "Pepper" = 100%', category_id: 2 }]);
  });

  test('an invalid form sent with -d gets a readable error', async () => {
    const { status, body } = await curl('-d', 'product_name=X&unit_price=cheap', '/products');
    expect({ status, code: (JSON.parse(body) as { code: string }).code }).toEqual({ status: 400, code: '22P02' });
  });

  test('-d sends JSON with its content type, as in the description', async () => {
    const { status } = await curl(
      ...['-X', 'POST', '/products', '-H', 'Content-Type: application/json'],
      ...['-d', '[{"id":2002,"product_name":"A"},{"id":2003,"product_name":"B"}]'],
    );
    expect(status).toBe(201);
    expect(await stored('id=in.(2002,2003)&select=product_name')).toEqual([
      { product_name: 'A' },
      { product_name: 'B' },
    ]);
  });

  newer('--json sends one product', async () => {
    const { status, body } = await curl('--json', '{"id":2004,"product_name":"From JSON"}', '/products');
    expect({ status, body }).toEqual({ status: 201, body: '' });
    expect(await stored('id=eq.2004&select=product_name')).toEqual([{ product_name: 'From JSON' }]);
  });

  newer('--json from a file with a large array', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => ({ id: 10_000 + index, product_name: `Row ${index}` }));
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(rows));
    const { status } = await curl('--json', '@rows.json', '/products');
    expect(status).toBe(201);
    expect(await stored('id=gte.10000&select=count()')).toEqual([{ count: 3000 }]);
    expect((await curl('-X', 'DELETE', '/products?id=gte.10000')).status).toBe(204);
  });

  newer('-X PATCH --json changes, and -X PUT --json replaces', async () => {
    expect((await curl('-X', 'PATCH', '--json', '{"unit_price":18.25}', '/products?id=eq.1')).status).toBe(204);
    expect(await stored('id=eq.1&select=product_name,unit_price')).toEqual([
      { product_name: 'Chai', unit_price: 18.25 },
    ]);
    const put = await curl('-X', 'PUT', '--json', '{"id":2005,"product_name":"Put"}', '/products?id=eq.2005');
    expect([200, 201, 204]).toContain(put.status);
    expect(await stored('id=eq.2005&select=product_name')).toEqual([{ product_name: 'Put' }]);
  });

  test('--data-binary uploads CSV with quoted cells, line breaks and empty cells', async () => {
    const lines = [
      'id,product_name,unit_price,quantity_per_unit',
      '2010,"Comma, ""quoted""",1.5,',
      '2011,"Two\nlines",NULL,x',
    ];
    writeFileSync(join(folder, 'rows.csv'), `${lines.join('\r\n')}\r\n`);
    const { status } = await curl('--data-binary', '@rows.csv', '-H', 'Content-Type: text/csv', '/products');
    expect(status).toBe(201);
    expect(await stored('id=in.(2010,2011)&select=id,product_name,unit_price,quantity_per_unit')).toEqual([
      { id: 2010, product_name: 'Comma, "quoted"', unit_price: 1.5, quantity_per_unit: null },
      { id: 2011, product_name: 'Two\nlines', unit_price: null, quantity_per_unit: 'x' },
    ]);
  });

  test('a downloaded CSV can be uploaded again', async () => {
    const { body } = await curl('-H', 'Accept: text/csv', '/products?id=lte.77');
    writeFileSync(join(folder, 'all.csv'), body);
    const before = await stored('id=lte.77');
    const { status } = await curl(
      ...['--data-binary', '@all.csv', '-H', 'Content-Type: text/csv'],
      ...['-H', 'Prefer: resolution=merge-duplicates', '/products'],
    );
    expect([200, 201]).toContain(status);
    expect(await stored('id=lte.77')).toEqual(before);
  });

  test('-T uploads a file in chunks', async () => {
    writeFileSync(join(folder, 'one.json'), '{"id":2020,"product_name":"In chunks"}');
    const { status } = await curl(
      ...['-X', 'POST', '-T', 'one.json', '-H', 'Transfer-Encoding: chunked', '-H', 'Content-Type: application/json'],
      '/products',
    );
    expect(status).toBe(201);
    expect(await stored('id=eq.2020&select=product_name')).toEqual([{ product_name: 'In chunks' }]);
  });

  test('-X DELETE deletes the products that match the filter, and is rejected without one', async () => {
    expect((await curl('-d', 'id=2030&product_name=Short-lived', '/products')).status).toBe(201);
    const { status, body } = await curl('-X', 'DELETE', '/products?id=eq.2030');
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(await stored('id=eq.2030')).toEqual([]);
    const unfiltered = await curl('-X', 'DELETE', '/products');
    expect({ status: unfiltered.status, code: (JSON.parse(unfiltered.body) as { code: string }).code }).toEqual({
      status: 400,
      code: '21000',
    });
  });

  test('-G --data-urlencode encodes the filters', async () => {
    const { status, headers, body } = await curl(
      ...['-G', '/products', '-H', 'Prefer: count=exact', '--data-urlencode', "product_name=like.Chef Anton's*"],
      ...['--data-urlencode', 'select=id', '-d', 'limit=1', '-d', 'order=id.desc'],
    );
    expect({ status, body: JSON.parse(body) as unknown, range: headers.get('content-range') }).toEqual({
      status: 206,
      body: [{ id: 5 }],
      range: '0-0/2',
    });
    const soup = await curl('-G', '/products', '--data-urlencode', 'product_name=eq.Original Frankfurter grüne Soße');
    expect(JSON.parse(soup.body)).toMatchObject([{ id: 77 }]);
  });

  test('-I requests only the headers', async () => {
    const { status, headers, body } = await curl('-I', '-H', 'Prefer: count=exact', '/products?id=lte.77');
    expect({ status, body, range: headers.get('content-range') }).toEqual({ status: 200, body: '', range: '0-76/77' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await curl('-I', '/products/1')).status).toBe(200);
    expect((await curl('-I', '/products/999')).status).toBe(404);
  });

  test('--compressed returns the same products', async () => {
    const { body } = await curl('--compressed', '/products?id=lte.77');
    expect(JSON.parse(body)).toHaveLength(77);
  });

  test('a Range header requests a page', async () => {
    const { status, body } = await curl('-H', 'Range-Unit: items', '-H', 'Range: 0-4', '/products?select=id');
    expect([200, 206]).toContain(status);
    expect(JSON.parse(body)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }]);
  });

  newer('--fail-with-body distinguishes an error from an answer', () => {
    const child = Bun.spawnSync([
      'curl',
      '--silent',
      '--noproxy',
      '*',
      '--fail-with-body',
      `${service.url}/products/999`,
    ]);
    expect(child.exitCode).toBe(22);
    expect(JSON.parse(child.stdout.toString())).toMatchObject({ message: expect.any(String) });
  });
});
