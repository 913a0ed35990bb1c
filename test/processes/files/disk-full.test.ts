/**
 * A full disk: the service rejects writes with a clear message and still answers reads. Once there is space again,
 * writes work and nothing is lost. The tests fill a disk in two ways: a small file system (root only), and a limit on
 * file size. Bun ignores SIGXFSZ, so the limit appears as a failed write and does not end the process.
 */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanUp,
  integrityOf,
  type Launch,
  mountTmpfs,
  run,
  type Service,
  startService,
  temporaryFolder,
} from '../../support/processes/process.ts';

const REFERENCE_PRODUCTS = 77;
/** A text so long that a few dozen rows fill the disk. */
const LONG_TEXT = 'x'.repeat(20_000);

interface SmallDisk {
  readonly launch: Launch;
  readonly file: string;
  readonly makeRoom: (service: Service) => void;
}

interface Way {
  readonly name: string;
  /** The reason why this machine cannot run the test; undefined if it can. */
  readonly obstacle: string | undefined;
  readonly open: () => SmallDisk;
}

const WAYS: readonly Way[] = [
  { name: 'a full file system', obstacle: tmpfsObstacle(), open: fullFileSystem },
  { name: 'a limit on the size of files', obstacle: limitObstacle(), open: limitedFileSize },
];

if (WAYS.every((way) => way.obstacle !== undefined)) {
  console.error(
    `\nNOT TESTED HERE: what a full disk does. ${WAYS.map((way) => `${way.name}: ${way.obstacle}`).join('; ')}.\n`,
  );
}

afterEach(cleanUp);

for (const way of WAYS) {
  if (way.obstacle !== undefined) {
    test.skip(`${way.name} (SKIPPED: ${way.obstacle})`, () => {});
    continue;
  }

  test(`${way.name}: writes get 507 and reads continue; with free space writes work again and nothing is lost`, async () => {
    const { launch, file, makeRoom } = way.open();
    const service = await startService(launch);
    const { stored, refused } = await writeUntilFull(service);
    expect(stored.length).toBeGreaterThan(0);

    expect((await service.fetch('/products?limit=5')).status).toBe(200);
    expect((await service.fetch('/products/1')).status).toBe(200);
    expect(await namesOf(service)).toEqual(stored);
    const patch = await service.fetch('/products?id=eq.1', {
      method: 'PATCH',
      body: JSON.stringify({ product_name: LONG_TEXT.repeat(20) }),
    });
    await expectDiskFull(patch);

    makeRoom(service);
    const again = await post(service, 'again');
    expect(again.status).toBe(201);
    for (const name of refused.slice(0, 3)) {
      expect((await post(service, name)).status).toBe(201);
      stored.push(name);
    }
    expect(await namesOf(service)).toEqual([...stored, 'again'].sort());
    expect(service.hasExited()).toBe(false);

    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(integrityOf(file)).toBe('ok');
    expect(storedNames(file)).toEqual([...stored, 'again'].sort());
  });

  test(`${way.name}: a kill -9 on a full disk loses no acknowledged write`, async () => {
    const { launch, file, makeRoom } = way.open();
    const first = await startService(launch);
    const { stored } = await writeUntilFull(first);
    first.kill('SIGKILL');
    await first.exited;
    makeRoom(first);
    const { prefix: _prefix, ...unlimited } = launch;
    const second = await startService(unlimited);
    expect(integrityOf(file)).toBe('ok');
    expect(await namesOf(second)).toEqual(stored);
    expect((await post(second, 'again')).status).toBe(201);
  });
}

test.skipIf(WAYS[0]!.obstacle !== undefined)(
  'a first start without space for a catalogue prints one clear sentence, and works once there is space',
  async () => {
    const mounted = mountTmpfs('64k')!;
    const file = join(mounted.folder, 'catalogue.db');
    const cwd = temporaryFolder();
    const ballast = join(mounted.folder, 'ballast');
    writeFileSync(ballast, new Uint8Array(48 * 1024));
    const { exitCode, stderr } = await run({ cwd, args: ['serve', '--port', '0', '--database', file] });
    expect(stderr).toMatch(/^catalogue: [^\n]*catalogue\.db[^\n]*\n$/);
    expect(exitCode).toBe(1);
    rmSync(ballast);
    mounted.remount('size=4m');
    const service = await startService({ cwd, args: ['--database', file] });
    expect(service.stdout()).toContain('\nRows      products 77\n');
    expect(integrityOf(file)).toBe('ok');
  },
);

/**
 * Writes with four concurrent clients, so that some writes share a commit, until the service has rejected many writes.
 */
async function writeUntilFull(service: Service): Promise<{ stored: string[]; refused: string[] }> {
  const stored: string[] = [];
  const refused: string[] = [];
  for (let turn = 0; refused.length < 20; turn++) {
    if (turn > 500) throw new Error('the disk never got full');
    const names = [0, 1, 2, 3].map((writer) => `${turn}-${writer}`);
    const answers = await Promise.all(names.map((name) => post(service, name)));
    for (const [index, response] of answers.entries()) {
      if (response.status === 201) stored.push(names[index]!);
      else {
        refused.push(names[index]!);
        await expectDiskFull(response);
      }
    }
  }
  return { stored: stored.sort(), refused };
}

async function expectDiskFull(response: Response): Promise<void> {
  expect([503, 507]).toContain(response.status);
  expect(response.headers.get('content-type')).toStartWith('application/json');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toEqual({
    code: `CAT${response.status}`,
    message: expect.stringContaining('disk is full'),
    details: expect.any(String),
    hint: expect.any(String),
  });
}

function post(service: Service, name: string): Promise<Response> {
  const body = JSON.stringify({ product_name: name, quantity_per_unit: LONG_TEXT });
  return service.fetch('/products', { method: 'POST', body });
}

async function namesOf(service: Service): Promise<string[]> {
  const response = await service.fetch(`/products?select=product_name&id=gt.${REFERENCE_PRODUCTS}`);
  return ((await response.json()) as { product_name: string }[]).map((row) => row.product_name).sort();
}

function storedNames(file: string): string[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .query<{ product_name: string }, [number]>('select product_name from products where id > ?')
      .all(REFERENCE_PRODUCTS)
      .map((row) => row.product_name)
      .sort();
  } finally {
    db.close();
  }
}

test.skipIf(tmpfsObstacle() !== undefined)('a backup that does not fit names its target file', async () => {
  const cwd = temporaryFolder();
  await run({ cwd, args: ['migrate'] });
  const copy = join(mountTmpfs('48k')!.folder, 'copy.db');
  expect(await run({ cwd, args: ['backup', copy] })).toMatchObject({
    exitCode: 1,
    stderr: `catalogue: ${copy}: the disk is full\n`,
  });
});

function tmpfsObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may mount a file system';
  const mounted = mountTmpfs('1m');
  mounted?.unmount();
  return mounted === undefined ? 'mounting is not allowed' : undefined;
}

function fullFileSystem(): SmallDisk {
  const { folder } = mountTmpfs('4m')!;
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, new Uint8Array(2 * 1024 * 1024));
  const file = join(folder, 'catalogue.db');
  return {
    file,
    launch: { cwd: temporaryFolder(), args: ['--database', file] },
    makeRoom: () => rmSync(ballast),
  };
}

function limitObstacle(): string | undefined {
  return Bun.which('prlimit') === null ? 'there is no prlimit to lift the limit with' : undefined;
}

function limitedFileSize(): SmallDisk {
  const cwd = temporaryFolder();
  return {
    file: join(cwd, 'catalogue.db'),
    launch: { cwd, prefix: ['prlimit', `--fsize=${1024 * 1024}:unlimited`] },
    makeRoom: ({ pid, hasExited }) => {
      if (!hasExited()) Bun.spawnSync(['prlimit', '--pid', String(pid), '--fsize=unlimited:unlimited']);
    },
  };
}
