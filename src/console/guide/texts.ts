/** The Markdown files of the documentation by name, such as `how-to/follow-changes`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../../docs');

export const INDEX = 'index';

export type GuideTexts = Readonly<Record<string, string>>;

/** Reads the folder of a checkout; undefined in an installation, which has the texts in its packed assets. */
export function readGuideTexts(): GuideTexts | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(files.sort().map((name) => [pageName(name), readFileSync(join(FOLDER, name), 'utf8')]));
}

/** The page of a file. The page `index` leads to all others. */
export function pageName(file: string): string {
  return file === 'README.md' ? INDEX : file.replace(/\.md$/, '');
}
