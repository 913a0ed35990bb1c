/** HTTPS served by the service itself, and certificate renewal under load. */
import { afterEach, describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, newAuthority } from '../../support/network/certificates.ts';
import { Connection, startLoad } from '../../support/network/load.ts';
import { cleanUp, run, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

afterEach(cleanUp);

const GET = 'GET /products/1 HTTP/1.1\r\nhost: localhost\r\n\r\n';

interface Files {
  readonly cwd: string;
  readonly authority: Authority;
  readonly args: readonly string[];
  /** Writes a certificate for this name, and its key, to the configured paths. */
  readonly use: (name: string) => void;
}

function newFiles(): Files {
  const cwd = temporaryFolder();
  const authority = newAuthority(cwd, 'authority');
  const use = (name: string) => {
    const { certificate, key } = authority.vouchFor(name);
    copyFileSync(certificate, join(cwd, 'cert.pem'));
    copyFileSync(key, join(cwd, 'key.pem'));
  };
  use('DNS:localhost,IP:127.0.0.1');
  return { cwd, authority, use, args: ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'] };
}

async function renewed(service: Service, times = 1): Promise<void> {
  service.kill('SIGHUP');
  await until('the renewal', () => service.stderr().split('"certificate renewed"').length > times);
}

async function certificateShown(service: Service): Promise<string> {
  const connection = await Connection.open(service.port, true);
  const { certificate } = connection;
  connection.close();
  return certificate;
}

test('the service and catalogue health use HTTPS, and the startup message shows it', async () => {
  const { cwd, authority, args } = newFiles();
  const service = await startService({ cwd, args });
  expect(service.url).toStartWith('https://127.0.0.1:');
  expect(service.stdout()).toContain(`Try       curl 'https://127.0.0.1:`);
  const tls = { ca: await Bun.file(authority.file).text() };
  const answer = await fetch(`${service.url}/products?limit=1`, { tls } as RequestInit);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveLength(1);
  const health = await run({ cwd, args: ['health', '--port', String(service.port), '--tls-cert', 'cert.pem'] });
  expect(health).toMatchObject({ exitCode: 0, stdout: 'ready\n' });
  const found = await run({ cwd, args: ['health', '--port', String(service.port), '--json'] });
  expect(JSON.parse(found.stdout)).toEqual({ ok: true, url: `${service.url}/ready`, answer: 'ready' });
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('a port is not shared by accident', async () => {
  const { cwd, args } = newFiles();
  const service = await startService({ cwd, args });
  const second = startService({ cwd, args: [...args, '--port', String(service.port)] });
  await expect(second).rejects.toThrow('is in use');
});

describe('an invalid certificate or key is reported at the start', () => {
  const flags = (cert: string, key: string) => ['serve', '--port', '0', '--tls-cert', cert, '--tls-key', key];
  test('a file that is missing, is not PEM, or belongs to another key', async () => {
    const { cwd, authority } = newFiles();
    const { key: otherKey } = authority.vouchFor('DNS:other');
    writeFileSync(join(cwd, 'text'), 'nothing of the kind');
    const cut = `-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`;
    writeFileSync(join(cwd, 'cut.pem'), cut);
    writeFileSync(join(cwd, 'chain.pem'), `${await Bun.file(join(cwd, 'cert.pem')).text()}${cut}`);
    writeFileSync(
      join(cwd, 'locked.pem'),
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----',
    );
    const cases: [readonly string[], RegExp][] = [
      [['serve', '--tls-cert', 'cert.pem'], /--tls-cert needs --tls-key/],
      [['serve', '--tls-key', 'key.pem'], /--tls-key needs --tls-cert/],
      [flags('gone.pem', 'key.pem'), /--tls-cert: gone\.pem cannot be read/],
      [flags('cert.pem', 'gone.pem'), /--tls-key: gone\.pem cannot be read/],
      [flags('text', 'key.pem'), /text holds no certificate/],
      [flags('cut.pem', 'key.pem'), /cut\.pem holds a certificate that cannot be read/],
      [flags('chain.pem', 'key.pem'), /chain\.pem holds a certificate that cannot be read/],
      [flags('cert.pem', 'text'), /text holds no private key/],
      [flags('cert.pem', 'locked.pem'), /locked\.pem is encrypted/],
      [flags('cert.pem', otherKey), /is not the key of the certificate in cert\.pem/],
    ];
    const results = await Promise.all(cases.map(([args]) => run({ cwd, args })));
    for (const [index, { exitCode, stderr }] of results.entries()) {
      expect(stderr).toMatch(cases[index]![1]);
      expect(stderr).not.toContain('    at ');
      expect(exitCode).not.toBe(0);
    }
  });
});

describe.skipIf(process.platform !== 'linux')('a new certificate after SIGHUP', () => {
  test('is presented to new connections; open connections and their requests continue', async () => {
    const files = newFiles();
    const service = await startService({ cwd: files.cwd, args: files.args });
    const [idle, busy, unused] = await Promise.all([1, 2, 3].map(() => Connection.open(service.port, true)));
    expect((await idle!.ask(GET)).status).toBe(200);
    const body = '{"product_name":"Sent while the certificate was renewed"}';
    busy!.send(
      `POST /products HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    );

    files.use('DNS:second.example');
    await renewed(service);
    expect(await certificateShown(service)).toBe('DNS:second.example');
    expect((await busy!.ask(body.slice(9))).status).toBe(201);
    for (const each of [idle!, busy!, unused!, idle!]) {
      expect(await each.ask(GET)).toMatchObject({ status: 200, closes: false });
      expect(each.certificate).toBe('DNS:localhost, IP Address:127.0.0.1');
    }

    // An invalid certificate changes nothing.
    writeFileSync(join(files.cwd, 'key.pem'), 'half a file');
    service.kill('SIGHUP');
    await until('the complaint', () =>
      service.stderr().includes('certificate not renewed; keeping the previous certificate'),
    );
    expect(service.stderr()).toContain('key.pem holds no private key in PEM form');
    expect(await certificateShown(service)).toBe('DNS:second.example');

    files.use('DNS:third.example');
    await renewed(service, 2);
    expect(await certificateShown(service)).toBe('DNS:third.example');
    for (const each of [idle!, busy!]) expect((await each.ask(GET)).status).toBe(200);
    for (const each of [idle!, busy!, unused!]) each.close();
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});

test.skipIf(process.platform !== 'linux').each([1, 2])(
  'renewals under load lose no request and no connection, with %d processes',
  async (workers) => {
    const files = newFiles();
    const args = [...files.args, '--workers', String(workers)];
    const service = await startService({ cwd: files.cwd, args: [...args, '--log-level', 'info'] });
    const kept = startLoad(service.port, 4, () => GET, { isSecure: true });
    const fresh = startLoad(service.port, 4, () => GET, { isSecure: true, keepAlive: false });
    for (const turn of [1, 2]) {
      files.use(`DNS:turn-${turn}.example`);
      await renewed(service, turn);
      const shown = await Promise.all(Array.from({ length: 12 }, () => certificateShown(service)));
      expect(new Set(shown)).toEqual(new Set([`DNS:turn-${turn}.example`]));
      const before = fresh.answered();
      await until('some load', () => fresh.answered() > before + 50);
    }
    await Promise.all([kept.stop(), fresh.stop()]);
    expect([...kept.failures(), ...fresh.failures()]).toEqual([]);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux')('a restarted worker has the renewed certificate', async () => {
  const files = newFiles();
  const service = await startService({ cwd: files.cwd, args: [...files.args, '--workers', '2'] });
  files.use('DNS:second.example');
  await renewed(service);
  // A restarted worker must not depend on the files, which may be gone by then.
  writeFileSync(join(files.cwd, 'cert.pem'), 'nothing');
  const children = await Bun.$`pgrep -P ${service.pid}`.text();
  for (const pid of children.trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
  await until('the workers to be back', async () => {
    try {
      return (await certificateShown(service)) === 'DNS:second.example';
    } catch {
      return false;
    }
  });
});
