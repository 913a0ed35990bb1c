/**
 * Loads the assets of the pages: embedded in the executable, built by Bun's bundler (in under a second) and cached for
 * the next start, or packed in `dist/`. The console needs development packages, which `npm install --omit=dev` leaves
 * out, and so does the API reference. The guide needs none. `bun src/console/bundle.ts FOLDER` packs the assets:
 *
 *     bun src/console/bundle.ts dist
 *     bun build --compile --asset-naming=[name].[ext] src/main.ts dist/console.assets
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildOutput } from 'bun';
import { unlessThrown } from '../base/errors.ts';
import { requireDescriptors } from '../base/files/descriptors.ts';
import { type StoredFile, storeFile } from '../http/stored-file.ts';
import { type Assets, type PageName, packAssets, unpackAssets } from './assets.ts';
import { loadCachedBundle } from './bundle-cache.ts';
import { buildFonts } from './fonts.ts';
import { readGuideTexts } from './guide/texts.ts';

const BROWSER = join(import.meta.dir, 'browser');
/** `npm run dev` sets it: readable scripts with source maps, and the checks of React. */
const IS_DEVELOPMENT = process.env.NODE_ENV === 'development';
const PACKED_NAME = 'console.assets';
const PACKED = join(import.meta.dir, '../../dist', PACKED_NAME);

const ENTRIES: Readonly<Record<PageName, readonly string[]>> = {
  console: ['style/console.css', 'early.ts', 'console.tsx'],
  docs: ['docs.css', 'docs.ts'],
  guide: ['guide.css'],
};

/** Whether the console is installed or can be built. */
export function hasConsole(): boolean {
  return embedded() !== undefined || packagesFolder() !== undefined || existsSync(PACKED);
}

/** A checkout builds from its sources, so that every edit takes effect. */
export async function loadAssets(): Promise<Assets> {
  const inside = embedded();
  if (inside !== undefined) return unpackAssets(await inside.bytes());
  requireDescriptors();
  const packages = packagesFolder();
  if (packages !== undefined && IS_DEVELOPMENT) return buildAssets();
  if (packages !== undefined) return loadCachedBundle({ sources: dirname(import.meta.dir), packages }, buildAssets);
  if (existsSync(PACKED)) return unpackAssets(readFileSync(PACKED));
  return buildPages(['guide']);
}

export function buildAssets(): Promise<Assets> {
  return buildPages(['console', 'docs', 'guide']);
}

async function buildPages(names: readonly PageName[]): Promise<Assets> {
  const files = new Map<string, StoredFile>();
  const pages: Record<PageName, readonly string[]> = { console: [], docs: [], guide: [] };
  for (const name of names) {
    const { outputs } = await build(ENTRIES[name]);
    const loaded: string[] = [];
    for (const output of outputs) {
      const [file, text] = [output.path.replace(/^\.\//, '').replaceAll('/', '-'), await output.text()];
      const shared = output.kind === 'chunk' ? [] : sharedFiles(text);
      if (output.kind !== 'chunk') loaded.push(...(shared.length > 0 ? shared : [file]));
      if (shared.length === 0) files.set(file, storeFile(text, output.type));
    }
    const fonts = name === 'console' ? await buildFonts(BROWSER) : [];
    for (const [file, font] of fonts) {
      files.set(file, font);
      if (file.endsWith('.woff2')) loaded.push(file);
    }
    pages[name] = loaded;
  }
  return { files, pages, guide: readGuideTexts() ?? {} };
}

/** Resolves an entry that only imports shared files to those files, which saves the browser a round trip. */
function sharedFiles(text: string): readonly string[] {
  if (!/^(import"\.\/[^"]+";?\s*)+$/.test(text)) return [];
  return [...text.matchAll(/"\.\/([^"]+)"/g)].map(([, name]) => name!);
}

function build(entries: readonly string[]): Promise<BuildOutput> {
  return Bun.build({
    entrypoints: entries.map((name) => join(BROWSER, name)),
    target: 'browser',
    format: 'esm',
    minify: !IS_DEVELOPMENT,
    sourcemap: IS_DEVELOPMENT ? 'inline' : 'none',
    splitting: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': IS_DEVELOPMENT ? '"development"' : '"production"' },
    env: 'disable',
  });
}

/** Builds the assets and packs them into one file of a folder, for an executable or a package. */
export async function buildAssetsTo(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, PACKED_NAME);
  await Bun.write(path, packAssets(await buildAssets()));
  return path;
}

function embedded(): Blob | undefined {
  return (Bun.embeddedFiles as readonly (Blob & { name?: string })[]).find((file) => file.name?.endsWith(PACKED_NAME));
}

/** The folder of the packages that the console needs; undefined if they or the sources are missing. */
function packagesFolder(): string | undefined {
  if (!existsSync(join(BROWSER, 'console.tsx'))) return undefined;
  const module = unlessThrown(() => Bun.resolveSync('wouter', BROWSER));
  return module?.slice(0, module.lastIndexOf('node_modules') + 'node_modules'.length);
}

if (import.meta.main) console.log(await buildAssetsTo(process.argv[2] ?? 'dist'));
