/**
 * Bytes that no client library would send. The process survives them, the next client gets a response, and no data
 * changes. No response from our code is a 5xx; the log holds each of them. Three limitations of Bun lie below
 * our code and are not asserted. Bun closes the connection on an unknown method. It closes the connection on a
 * pipelined request while the previous response is pending. It answers 505 to a request line with spaces or control
 * bytes in the URL.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { statusesIn, talkTo } from '../../support/network/socket.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

/** How long a conversation may stay silent before the test continues. No response is a valid outcome. */
const PATIENCE_MS = 150;

let service: Service;
beforeAll(async () => {
  service = await startService({
    cwd: temporaryFolder(),
    args: ['--database', ':memory:', '--max-body-mb', '1', '--allowed-hosts', '*'],
  });
});
afterAll(async () => {
  service?.kill('SIGTERM');
  const exitCode = await service?.exited;
  await cleanUp();
  expect(exitCode).toBe(0);
  const faults = service
    .stderr()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { status: number })
    .filter(({ status }) => status >= 500);
  expect(faults).toEqual([]);
});

afterEach(async () => {
  const response = await service.fetch('/products?select=count()');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual([{ count: 77 }]);
  expect(service.hasExited()).toBe(false);
});

describe('garbage', () => {
  const noise = new Uint8Array(64 * 1024);
  for (let index = 0; index < noise.length; index++) noise[index] = (index * 7919 + (index >> 3) * 31) & 0xff;
  const cases: Record<string, string | Uint8Array> = {
    nothing: '',
    'one NUL': '\0',
    'empty lines': '\r\n'.repeat(50),
    noise,
    'a TLS hello': Buffer.from('160301006c010000680303', 'hex'),
    'another protocol': 'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/2 without asking': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a line without end': 'A'.repeat(100_000),
    'a request line of one word': 'GET\r\n\r\n',
    'no version': 'GET /products\r\n\r\n',
    'an unknown version': 'GET /products HTTP/9.9\r\nhost: test\r\n\r\n',
    'an unknown method': 'FROBNICATE /products HTTP/1.1\r\nhost: test\r\n\r\n',
    'spaces in the URL': 'GET /products?a b HTTP/1.1\r\nhost: test\r\n\r\n',
    'control bytes in the URL': 'GET /products?\x01\x02 HTTP/1.1\r\nhost: test\r\n\r\n',
    'raw bytes above 127 in the URL': Buffer.from(
      'GET /products?product_name=eq.\xff\xfe HTTP/1.1\r\nhost: t\r\n\r\n',
      'latin1',
    ),
    'a broken percent sign': 'GET /products?product_name=eq.%zz%f HTTP/1.1\r\nhost: test\r\n\r\n',
    'an encoded NUL': 'GET /products?product_name=eq.%00 HTTP/1.1\r\nhost: test\r\n\r\n',
    'no host': 'GET /products/1 HTTP/1.1\r\n\r\n',
    'two hosts': 'GET /products/1 HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
    'a host of nonsense': 'GET /products/1 HTTP/1.1\r\nhost: a b/c?d#e\r\n\r\n',
    'a header without a colon': 'GET /products/1 HTTP/1.1\r\nhost: test\r\nnonsense\r\n\r\n',
    'a header with a space before its colon': 'GET /products/1 HTTP/1.1\r\nhost : test\r\n\r\n',
    'a folded header': 'GET /products/1 HTTP/1.1\r\nhost: test\r\nprefer: count=exact,\r\n  tx=commit\r\n\r\n',
    'a NUL in a header': 'GET /products/1 HTTP/1.1\r\nhost: test\r\nprefer: a\0b\r\n\r\n',
    'bare line feeds': 'GET /products/1 HTTP/1.1\nhost: test\n\n',
    'a path that climbs': 'GET /../../etc/passwd HTTP/1.1\r\nhost: test\r\n\r\n',
    'a path of many slashes': `GET ${'/'.repeat(2000)} HTTP/1.1\r\nhost: test\r\n\r\n`,
    'an asterisk': 'OPTIONS * HTTP/1.1\r\nhost: test\r\n\r\n',
    'a CONNECT': 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: test\r\n\r\n',
    'an upgrade nobody offers':
      'GET /products HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n\r\n',
  };
  for (const [what, bytes] of Object.entries(cases)) test(what, () => exchange(bytes));
});

describe('websockets', () => {
  const socket = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
  const key = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  const ask = (line: string, host: string) => exchange(`GET ${line}\r\n${host}${socket}${key}\r\n`);

  test.each(['', 'host: \r\n', 'host: [::1\r\n', 'host: a b\r\n', 'host: t:99999999\r\n'])(
    'with %j open',
    async (host) => {
      expect(statusesIn(await ask('/realtime/v1/websocket HTTP/1.0', host))).toEqual([101]);
      expect(statusesIn(await ask('//[/realtime/v1/websocket?vsn=%ff HTTP/1.0', host))).toEqual([101]);
    },
  );
});

describe('half a request', () => {
  const whole = 'POST /products HTTP/1.1\r\nhost: test\r\ncontent-length: 24\r\n\r\n{"product_name":"Never"}';
  for (const length of [1, 4, 15, 24, 35, 55, 58, 60, whole.length - 1]) {
    test(`cut after ${length} bytes`, async () => {
      const received = await exchange(whole.slice(0, length));
      expect(statusesIn(received)).not.toContain(201);
    });
  }

  test('a hundred clients that send half a request and stay connected', async () => {
    const half = await Promise.all(Array.from({ length: 100 }, () => talkTo(service.port)));
    for (const each of half) each.send('POST /products HTTP/1.1\r\nhost: test\r\ncontent-length: 100\r\n\r\n{"product');
    expect((await service.fetch('/products/1')).status).toBe(200);
    for (const each of half) each.close();
  });
});

describe('bodies', () => {
  const post = 'POST /products HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n';
  const chunked = `${post}transfer-encoding: chunked\r\n\r\n`;
  const refused: Record<string, string> = {
    'a chunk size that is not a number': `${chunked}zz\r\n{}\r\n0\r\n\r\n`,
    'a chunk size with a sign': `${chunked}-5\r\n{}\r\n0\r\n\r\n`,
    'a chunk size beyond all bounds': `${chunked}ffffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
    'a chunk longer than it says': `${chunked}2\r\n{"product_name":"x"}\r\n0\r\n\r\n`,
    'a chunk without an end': `${chunked}18\r\n{"product_name":"Never"}`,
    'a negative length': `${post}content-length: -1\r\n\r\n{}`,
    'a length that is not a number': `${post}content-length: many\r\n\r\n{}`,
    'two lengths': `${post}content-length: 2\r\ncontent-length: 24\r\n\r\n{"product_name":"Never"}`,
    'a length and chunks (request smuggling)': `${post}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nDELETE /products?id=eq.1 HTTP/1.1\r\nhost: test\r\n\r\n`,
    'an unknown transfer coding': `${post}transfer-encoding: gzip\r\n\r\n{}`,
    'neither length nor chunks': `${post}\r\n`,
    'an empty chunked body': `${chunked}0\r\n\r\n`,
  };
  for (const [what, bytes] of Object.entries(refused)) {
    test(what, async () => {
      const received = await exchange(bytes);
      expect(statusesIn(received).filter((status) => status < 400)).toEqual([]);
    });
  }

  test('chunks, split anywhere, make one body', async () => {
    const dryRun = `${post}prefer: tx=rollback, return=representation\r\ntransfer-encoding: chunked\r\n\r\n`;
    const client = await talkTo(service.port);
    client.send(dryRun);
    for (const piece of ['{"prod', 'uct_name":', '"K\\u00f6', '\\u00f6ri"}']) {
      client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    client.send('0\r\n\r\n');
    const received = await client.until('an answer', (text) => text.includes('}]'));
    client.close();
    expect(statusesIn(received)).toEqual([201]);
    expect(Buffer.from(received, 'latin1').toString('utf8')).toContain('"product_name":"Kööri"');
  });

  test('a body over the limit is rejected by its announced length, before it is sent', async () => {
    const client = await talkTo(service.port);
    client.send(`${post}content-length: ${1024 * 1024 + 1}\r\n\r\n{`);
    const received = await client.until('an answer', (text) => text.includes('CAT413'));
    client.close();
    expect(statusesIn(received)).toEqual([413]);
  });

  test('a chunked body over the limit is rejected while it is sent', async () => {
    const client = await talkTo(service.port);
    client.send(chunked);
    const piece = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
    for (let sent = 0; sent < 20; sent++) client.send(piece);
    const received = await client.until('an answer', (text) => text.includes('CAT413'));
    client.close();
    expect(statusesIn(received)[0]).toBe(413);
  });

  test('Expect: 100-continue gets 100 Continue or the final response', async () => {
    const client = await talkTo(service.port);
    client.send(`${post}prefer: tx=rollback\r\nexpect: 100-continue\r\ncontent-length: 20\r\n\r\n`);
    await Promise.race([client.until('100 Continue', (text) => text.includes('100')), Bun.sleep(PATIENCE_MS)]);
    client.send('{"product_name":"x"}');
    const received = await client.until('an answer', (text) => text.includes(' 201 '));
    client.close();
    expect(statusesIn(received).at(-1)).toBe(201);
  });
});

describe('headers', () => {
  test('an oversized header is rejected or the connection closed', async () => {
    const received = await exchange(`GET /products HTTP/1.1\r\nhost: test\r\nx-long: ${'a'.repeat(3_000_000)}\r\n\r\n`);
    expect(statusesIn(received).filter((status) => status < 400)).toEqual([]);
  });

  test('ten thousand headers are rejected, ignored, or the connection closed', async () => {
    await exchange(`GET /products/1 HTTP/1.1\r\nhost: test\r\n${'x: y\r\n'.repeat(10_000)}\r\n`);
  });

  test('a URL over the limit gets 414', async () => {
    const client = await talkTo(service.port);
    client.send(`GET /products?id=in.(${'1,'.repeat(300_000)}1) HTTP/1.1\r\nhost: test\r\n\r\n`);
    const received = await client.until('an answer', (text) => text.includes('CAT414'));
    client.close();
    expect(statusesIn(received)).toEqual([414]);
  });

  test('a long URL within the limit is accepted', async () => {
    const client = await talkTo(service.port);
    const ids = Array.from({ length: 40_000 }, (_, index) => index + 1).join(',');
    client.send(`GET /products?select=count()&id=in.(${ids}) HTTP/1.1\r\nhost: test\r\n\r\n`);
    const received = await client.until('an answer', (text) => text.includes('}]'));
    client.close();
    expect(received).toContain('[{"count":77}]');
  });
});

describe('old and unusual clients', () => {
  test('HTTP/1.0 without a Host header is answered', async () => {
    const client = await talkTo(service.port);
    client.send('GET /products/1 HTTP/1.0\r\n\r\n');
    const received = await client.until('an answer', (text) => text.includes('"id":1'));
    client.close();
    expect(statusesIn(received)).toEqual([200]);
  });

  test('a URL with bytes above 127 is answered with and without a usable host', async () => {
    const word = Buffer.from('Lakkalikööri', 'utf8').toString('latin1');
    for (const host of ['', 'host: \r\n', 'host: a b/c?d#e\r\n', 'host: \xe9\xff\r\n', 'host: test\r\n']) {
      for (const version of host === '' ? ['1.0'] : ['1.0', '1.1']) {
        const ask = async (value: string) => {
          const client = await talkTo(service.port);
          const url = `/products?product_name=eq.${value}&select=id&limit=1`;
          client.send(Buffer.from(`GET ${url} HTTP/${version}\r\n${host}\r\n`, 'latin1'));
          const received = await client.until('an answer', (text) => /\]|\}/.test(text));
          client.close();
          return received;
        };
        expect(await ask(word)).toEndWith('[{"id":76}]');
        expect(await ask('\xff\xfe')).toEndWith('[]');
      }
    }
  });

  // RFC 9112, 9.3.2: on a busy machine a request waits for its turn, and Bun closes the connection after its answer.
  test('pipelined requests are answered in order, until the connection closes', async () => {
    const client = await talkTo(service.port);
    const ids = [5, 4, 9999, 3, 2];
    client.send(ids.map((id) => `GET /products/${id} HTTP/1.1\r\nhost: test\r\n\r\n`).join(''));
    const received = await client.until('five answers', (text) => text.includes('"id":2,'));
    const statuses = statusesIn(received);
    if (!client.isClosed()) expect(statuses).toHaveLength(ids.length);
    client.close();
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses).toEqual([200, 200, 404, 200, 200].slice(0, statuses.length));
    const shown = [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    expect(shown).toEqual([5, 4, 3, 2].slice(0, shown.length));
  });

  // RFC 9112, 9.3.2: a client should not pipeline after a POST, and must handle a connection that closes early.
  test('a pipelined read after a write is answered after it, or not at all', async () => {
    const client = await talkTo(service.port);
    const body = '{"product_name":"Dry"}';
    client.send(
      `POST /products HTTP/1.1\r\nhost: test\r\nprefer: tx=rollback\r\ncontent-length: ${body.length}\r\n\r\n${body}` +
        'GET /products/1 HTTP/1.1\r\nhost: test\r\n\r\n',
    );
    const received = await client.until('two answers', (text) => text.includes('"id":1,'));
    if (client.isClosed()) expect(statusesIn(received)).toEqual([201].slice(0, statusesIn(received).length));
    else expect(statusesIn(received)).toEqual([201, 200]);
    client.close();
  });

  test('a CONNECT is rejected, and its connection closed', async () => {
    for (const target of ['127.0.0.1:1', 'elsewhere.example:443', '/products']) {
      const client = await talkTo(service.port);
      client.send(`CONNECT ${target} HTTP/1.1\r\nhost: test\r\n\r\n`);
      await until('the end of the connection', () => client.isClosed());
      expect(statusesIn(client.received())).toEqual([405]);
      expect(client.received()).toContain('PGRST117');
    }
  });

  test('an absolute-form URL (RFC 9112, 3.2.2) is handled like its path', async () => {
    const client = await talkTo(service.port);
    client.send('GET http://elsewhere.example/products/1?select=id HTTP/1.1\r\nhost: test\r\n\r\n');
    const received = await client.until('an answer', (text) => text.includes('{"id":1}'));
    client.close();
    expect(statusesIn(received)).toEqual([200]);
  });

  test('HEAD has no body, and the connection stays usable', async () => {
    const client = await talkTo(service.port);
    client.send('HEAD /products HTTP/1.1\r\nhost: test\r\n\r\nGET /products/1 HTTP/1.1\r\nhost: test\r\n\r\n');
    const received = await client.until('two answers', (text) => text.includes('"id":1,'));
    client.close();
    expect(statusesIn(received)).toEqual([200, 200]);
    expect(received.match(/"id":/g)).toHaveLength(1);
  });

  test('a rejected upload does not corrupt the next request on its connection', async () => {
    const client = await talkTo(service.port);
    client.send('POST /products HTTP/1.1\r\nhost: test\r\ncontent-length: 8\r\n\r\nnot json');
    await client.until('the refusal', (text) => text.includes('PGRST102'));
    client.send('GET /products/1 HTTP/1.1\r\nhost: test\r\n\r\n');
    const received = await client.until('two answers', (text) => text.includes('"id":1,'));
    client.close();
    expect(statusesIn(received)).toEqual([400, 200]);
  });

  test('a client that disconnects before its response does no harm', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => talkTo(service.port)));
    for (const client of clients) {
      client.send('GET /products HTTP/1.1\r\nhost: test\r\n\r\n');
      client.close();
    }
    await until('all of them to be gone', () => clients.every((client) => client.isClosed()));
  });
});

/** Sends the bytes and waits until the service answers, closes the connection, or stays silent. */
async function exchange(bytes: string | Uint8Array): Promise<string> {
  const client = await talkTo(service.port);
  client.send(bytes);
  const answered = client.until('an answer', (text) => text.includes('\r\n\r\n'));
  await Promise.race([answered, Bun.sleep(PATIENCE_MS)]);
  client.close();
  await answered;
  return client.received();
}
