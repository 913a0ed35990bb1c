/**
 * Stores the last build beside the packages that it uses. Unpacking takes a tenth of the build time. The file name is a
 * hash of the inputs, so that an edit always builds again. A new installation of the packages removes it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Assets, packAssets, unpackAssets } from './assets.ts';

interface Checkout {
  /** The folder of all files that may be part of a script. */
  readonly sources: string;
  readonly packages: string;
}

export async function loadCachedBundle(checkout: Checkout, build: () => Promise<Assets>): Promise<Assets> {
  const folder = join(checkout.packages, '.cache/product-catalogue');
  const name = `console-${fingerprint(checkout)}.assets`;
  try {
    return unpackAssets(readFileSync(join(folder, name)));
  } catch {
    const assets = await build();
    storeBundle(folder, name, packAssets(assets));
    return assets;
  }
}

function fingerprint({ sources, packages }: Checkout): string {
  const hash = new Bun.CryptoHasher('sha256');
  hash.update(Bun.version);
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tsx?|css|json)$/.test(name),
  );
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(sources, name)));
  // The installed versions, as npm recorded them.
  const installed = join(packages, '.package-lock.json');
  if (existsSync(installed)) hash.update(readFileSync(installed));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Writes the file atomically, since several processes may start at once. If the folder is read-only, nothing is stored.
 */
function storeBundle(folder: string, name: string, bytes: Uint8Array): void {
  try {
    mkdirSync(folder, { recursive: true });
    const unfinished = join(folder, `${process.pid}.tmp`);
    writeFileSync(unfinished, bytes);
    for (const old of readdirSync(folder)) if (old.endsWith('.assets')) rmSync(join(folder, old), { force: true });
    renameSync(unfinished, join(folder, name));
  } catch {
    // The next start builds again.
  }
}
