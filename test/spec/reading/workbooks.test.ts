/** Lists as workbooks (.xlsx): typed cells, texts that stay texts, and archives that other programs open. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { strFromU8, unzipSync } from 'fflate';
import { createApp } from '../../../src/app.ts';
import { checkSheetRows } from '../../../src/encode/workbook.ts';
import { serveFeeds } from '../../support/engines/feed-service.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const THINGS = declaredBy(`
collections:
  things:
    fields:
      id: int4
      label: text
      price: decimal(12,2)
      big: int8
      share: float8
      active: boolean
      day: date
      at: timestamptz
      tags: text[]
roles:
  visitor: { things: { read: { fields: [id, label], where: 'id=lt.3' } } }
  admin: all
`);
const ROWS = [
  {
    id: 1,
    label: '=HYPERLINK("http://x")',
    price: 12.5,
    big: '9007199254740993',
    share: 0.30000000000000004,
    active: true,
    day: '2026-11-18',
    at: '2026-11-18T12:00:00Z',
    tags: ['a', 'b'],
  },
  { id: 2, label: 'a<b> & "c"\r\n_x0041_', active: false, day: '0044-03-15', at: '2026-11-18T12:00:00.123456Z' },
  { id: 3, label: 'x'.repeat(40_000) },
];
const LIMITS = { maxBodyBytes: 8 * 1024 * 1024, allowUnfilteredWrites: true };
/** The metrics of reads under way, by engine. */
const BUSY = ['reads_on_threads', 'pool_requests'];
/** A strict reader: checks every checksum, and prints the texts and numbers of the cells. */
const PYTHON = `
import io, json, sys, zipfile
from xml.etree import ElementTree
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
for name in archive.namelist(): ElementTree.fromstring(archive.read(name))
sheet = ElementTree.fromstring(archive.read('xl/worksheets/sheet1.xml'))
print(json.dumps([[(c.get('t', 'n') if len(c) else None, ''.join(c.itertext())) for c in row] for row in sheet.iter('{http://schemas.openxmlformats.org/spreadsheetml/2006/main}row')]))
`;

for (const engine of ['SQLite', 'SQLite with large tables', 'PostgreSQL']) {
  describe(engine, () => {
    let shop: ReturnType<typeof serveFeeds>;
    beforeAll(async () => {
      shop = serveFeeds(await openDeclaredEngine(engine, THINGS, { things: [] }), THINGS, { identify });
      const created = await shop.fetch('/things?columns=id,label,price,big,share,active,day,at,tags', {
        ...sendJson('POST', ROWS, { 'x-role': 'admin' }),
      });
      expect(created.status).toBe(201);
    });
    afterAll(() => shop.close());
    const ask = (path: string, headers: Record<string, string> = {}) =>
      shop.fetch(path, { headers: { accept: TYPE, 'x-role': 'admin', ...headers } });
    const sheetOf = async (response: Response) => {
      const parts = unzipSync(await response.bytes());
      expect(Object.keys(parts)).toContain('[Content_Types].xml');
      return strFromU8(parts['xl/worksheets/sheet1.xml']!);
    };

    test('numbers, booleans, dates and times have types; values that a cell would change are texts', async () => {
      const response = await ask('/things?id=lt.3', { 'accept-encoding': 'gzip, zstd' });
      expect(response.headers.get('content-type')).toBe(TYPE);
      expect(response.headers.get('content-encoding')).toBe(null);
      const [header, first, second] = (await sheetOf(response)).match(/<row>.*?<\/row>/gs)!;
      expect(header).toContain('>label</t>');
      expect(first).toContain('<c><v>1</v></c><c t="inlineStr"><is><t xml:space="preserve">=HYPERLINK(&quot;http://x');
      expect(first).toContain('<c><v>12.5</v></c>');
      expect(first).toContain('>9007199254740993</t>');
      expect(first).toContain('<c><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c s="1"><v>46344</v></c>');
      expect(first).toContain('<c s="2"><v>46344.5</v></c>');
      expect(second).toContain('a&lt;b&gt; &amp; &quot;c&quot;_x000D_\n_x005F_x0041_');
      expect(second).toContain('<c t="b"><v>0</v></c><c t="inlineStr"><is><t xml:space="preserve">0044-03-15</t>');
      expect(second).toContain('12:00:00.123456+00</t>');
      expect(second).not.toContain('<f>');
    });

    test('another program opens the archive', async () => {
      const bytes = await (await ask('/things?select=id,label,active')).bytes();
      const { status, stdout } = spawnSync('python3', ['-c', PYTHON], { input: bytes });
      // Not installed.
      if (status === null) return;
      const rows = JSON.parse(String(stdout)) as [string | null, string][][];
      expect(rows[0]).toEqual([
        ['inlineStr', 'id'],
        ['inlineStr', 'label'],
        ['inlineStr', 'active'],
      ]);
      expect(rows[1]).toEqual([
        ['n', '1'],
        ['inlineStr', '=HYPERLINK("http://x")'],
        ['b', '1'],
      ]);
      expect(rows[3]!.map(([type, text]) => [type, text.length])).toEqual([
        ['n', 1],
        ['inlineStr', 32_767],
        [null, 0],
      ]);
    });

    test('a role gets its rows and fields; lists, rows, writes and empty results are workbooks', async () => {
      const sheet = await sheetOf(await ask('/things?select=*', { 'x-role': 'visitor' }));
      expect(sheet.match(/<row>/g)).toHaveLength(3);
      expect(sheet).not.toContain('price');
      expect((await sheetOf(await ask('/things?id=eq.99'))).match(/<row>/g)).toHaveLength(1);
      expect(await sheetOf(await ask('/things/1'))).toContain('<c><v>12.5</v></c>');
      const patched = await shop.fetch('/things?id=eq.1&select=price', {
        ...sendJson('PATCH', { price: 13 }, { accept: TYPE, prefer: 'return=representation', 'x-role': 'admin' }),
      });
      expect(await sheetOf(patched)).toContain('<row><c><v>13</v></c></row>');
    });

    test('an unchanged list is 304, HEAD has no length, and the tag differs from that of CSV', async () => {
      const response = await ask('/things?select=id');
      const tag = response.headers.get('etag')!;
      expect((await ask('/things?select=id', { 'if-none-match': tag })).status).toBe(304);
      expect((await ask('/things?select=id', { accept: 'text/csv' })).headers.get('etag')).not.toBe(tag);
      const head = await shop.fetch('/things', { method: 'HEAD', headers: { accept: TYPE, 'x-role': 'admin' } });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, null]);
      await expectRefusal(await ask('/things?none=eq.1'), 400, '42703');
    });

    test('an aborted download releases its read, however little of it was sent', async () => {
      const rows = Array.from({ length: 6_000 }, (_, at) => ({ id: at + 10, label: 'x'.repeat(200) }));
      expect((await shop.fetch('/things', sendJson('POST', rows, { 'x-role': 'admin' }))).status).toBe(201);
      const app = createApp({ catalogue: THINGS, engine: shop.engine, identify, ...LIMITS });
      for (let taken = 0; taken < 24; taken++) {
        const headers = { accept: TYPE, 'x-role': 'admin' };
        const { body } = await app.fetch(new Request(`http://catalogue/things?id=neq.${-taken}`, { headers }));
        const reader = body!.getReader();
        for (let part = 0; part < taken; part++) await reader.read();
        await reader.cancel();
      }
      const busy = () =>
        shop.engine.metrics!()
          .filter(({ name, value }) => BUSY.includes(name) && value !== 0)
          .map(({ name }) => name);
      await until('the end of all reads', () => busy().length === 0);
    });
  });
}

test('more rows than a sheet has are rejected', () => {
  expect(() => checkSheetRows(1_048_575)).not.toThrow();
  expect(() => checkSheetRows(1_048_576)).toThrow('at most 1048575 rows');
});
