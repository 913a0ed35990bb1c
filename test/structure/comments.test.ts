/** Comments wrap like the pages: their lines have at most 120 columns. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Glob } from 'bun';

const ROOT = new URL('../../', import.meta.url).pathname;
// The peers of the benchmarks have packages of their own.
const FILES = [...new Glob('{src,test,bench,scripts}/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter((file) => !file.includes('node_modules'))
  .sort();

test('comment lines have at most 120 columns', () => {
  const long = FILES.flatMap((file) => {
    const lines = readFileSync(`${ROOT}${file}`, 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      line.length > 120 && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${at + 1}`] : [],
    );
  });
  expect(long).toEqual([]);
});
