/**
 * Bare loops over the rows that the service streams, counts or stores. They run in a warm server process and measure
 * their own time, so that the HTTP round trip is not included.
 */
import { Database } from 'bun:sqlite';

const [port = '0', path = ''] = process.argv.slice(2);
const db = new Database(path);
db.run('pragma journal_mode = wal');
db.run('pragma synchronous = full');
const count = db.prepare('select count(*) from products');
const all = db.prepare<Row, []>('select * from products order by id');
const columns = all.columnNames;
const given = columns.filter((column) => column !== 'id');
const insert = db.prepare(`insert into products (${given.join()}) values (${given.map(() => '?').join()})`);
const PART = 256 * 1024;

type Row = Record<string, string | number | null>;

function csvLine(row: Row): string {
  const cells = Object.values(row);
  for (let index = 0; index < cells.length; index++) {
    const value = cells[index];
    if (typeof value === 'string' && /[",\r\n]/.test(value)) cells[index] = `"${value.replaceAll('"', '""')}"`;
  }
  return cells.join();
}

const FORMATS = {
  json: { head: '[', row: JSON.stringify, between: ',', tail: ']' },
  ndjson: { head: '', row: JSON.stringify, between: '\n', tail: '\n' },
  csv: { head: `${columns.join()}\n`, row: csvLine, between: '\n', tail: '\n' },
};

function* exported(format: keyof typeof FORMATS): Generator<Uint8Array> {
  const { head, row, between, tail } = FORMATS[format];
  let text = head;
  let first = true;
  for (const each of all.iterate()) {
    text += first ? row(each) : between + row(each);
    first = false;
    if (text.length > PART) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text + tail);
}

const insertAll = db.transaction((rows: Row[]) => {
  for (const row of rows) insert.run(...given.map((column) => row[column] ?? null));
});

function timed(work: () => object | undefined): Response {
  const started = performance.now();
  const found = work();
  return Response.json({ ...found, milliseconds: performance.now() - started });
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  maxRequestBodySize: 1e9,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/count') return timed(() => void count.values());
    if (pathname === '/insert') {
      const text = await request.text();
      return timed(() => void insertAll(JSON.parse(text)));
    }
    const format = pathname.slice('/export/'.length) as keyof typeof FORMATS;
    if (!(format in FORMATS)) return new Response(null, { status: 404 });
    const hasher = searchParams.has('hash') ? new Bun.CryptoHasher('sha256') : undefined;
    return timed(() => {
      let bytes = 0;
      for (const part of exported(format)) {
        bytes += part.length;
        hasher?.update(part);
      }
      return { bytes, hash: hasher?.digest('hex') };
    });
  },
});
