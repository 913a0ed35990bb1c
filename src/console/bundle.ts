/**
 * Where the console's assets come from: embedded in the executable, packed in `dist/`, kept from the last start, or
 * built on the spot by Bun's bundler, which takes well under a second. `bun src/console/bundle.ts FOLDER` packs them for an executable:
 *
 *     bun src/console/bundle.ts dist
 *     bun build --compile --asset-naming=[name].[ext] src/main.ts dist/console.assets
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireDescriptors } from '../descriptors.ts';
import { type StoredFile, storeFile } from '../http/stored-file.ts';
import { type Assets, packAssets, unpackAssets } from './assets.ts';
import { keptOrBuilt } from './kept-bundle.ts';

const PACKED_NAME = 'console.assets';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Embedded assets first, then packed ones, and only then a build, which needs the sources and their packages. */
export async function loadAssets(): Promise<Assets> {
  const embedded = (Bun.embeddedFiles as readonly (Blob & { name?: string })[]).find((file) =>
    file.name?.endsWith(PACKED_NAME),
  );
  if (embedded !== undefined) return unpackAssets(await embedded.bytes());
  const packed = join(import.meta.dir, '../../dist', PACKED_NAME);
  // A checkout builds from its sources, so that nobody wonders why an edit does not show.
  if (!existsSync(join(import.meta.dir, 'browser/console.tsx')) && existsSync(packed)) {
    return unpackAssets(readFileSync(packed));
  }
  requireDescriptors();
  return keptOrBuilt({ sources: dirname(import.meta.dir), packages: packagesFolder() }, buildAssets);
}

export async function buildAssets(): Promise<Assets> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, 'browser/console.tsx'), join(import.meta.dir, 'browser/docs.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    env: 'disable',
  });
  const files = new Map<string, StoredFile>();
  for (const output of built.outputs) files.set(fileName(output.path), storeFile(await output.text(), SCRIPT_TYPE));
  const entry = (page: string) => [...files.keys()].find((name) => name.startsWith(`${page}-`))!;
  const reference = await readReference();
  const referenceName = `reference-${Bun.hash(reference).toString(36)}.js`;
  files.set(referenceName, storeFile(reference, SCRIPT_TYPE));
  return { files, scripts: { console: [entry('console')], docs: [referenceName, entry('docs')] } };
}

/** Builds the assets and packs them into one file of a folder, for whoever makes an executable. */
export async function buildAssetsTo(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, PACKED_NAME);
  await Bun.write(path, packAssets(await buildAssets()));
  return path;
}

/** Scalar ships its page as one file that holds all it needs; the package names only its modules, beside which it is. */
async function readReference(): Promise<Uint8Array<ArrayBuffer>> {
  const module = Bun.resolveSync('@scalar/api-reference', import.meta.dir);
  return Bun.file(join(dirname(module), 'browser/standalone.js')).bytes();
}

/** Where the packages are that the scripts are built from. */
function packagesFolder(): string {
  const module = Bun.resolveSync('react', import.meta.dir);
  return module.slice(0, module.lastIndexOf('node_modules') + 'node_modules'.length);
}

function fileName(path: string): string {
  return path.replace(/^\.\//, '').replaceAll('/', '-');
}

if (import.meta.main) console.log(await buildAssetsTo(process.argv[2] ?? 'dist'));
