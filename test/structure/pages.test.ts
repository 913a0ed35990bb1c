/** The Markdown pages are readable as text and as rendered tables, and recommend only commands of this project. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = new URL('../../', import.meta.url);
const EXAMPLES = readdirSync(new URL('examples/', ROOT)).map((name) => `examples/${name}/README.md`);
const DOCS = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'RELEASING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  ...EXAMPLES,
  ...DOCS.map((name) => `docs/${name}`),
];
const LONGEST_LINE = 120;

/** Returns the lines outside code blocks. A line in a code block may have any length. */
function proseLines(page: string): readonly string[] {
  const text = readFileSync(new URL(page, ROOT), 'utf8');
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .filter((line) => !line.startsWith('    '));
}

/** Splits a table row into cells. An escaped `|` does not end a cell. */
function cells(row: string): readonly string[] {
  return row.split(/(?<!\\)\|/).slice(1, -1);
}

/** Returns the anchors of a page, as GitHub derives them from its headings. */
function anchors(page: URL): readonly string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(PAGES)('%s', (page) => {
  test('links only to existing files and headings', () => {
    const links = [
      ...proseLines(page)
        .join('\n')
        .matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g),
    ];
    for (const [link, path, anchor] of links) {
      const target = path === '' ? new URL(page, ROOT) : new URL(path!, new URL(page, ROOT));
      expect({ link, exists: existsSync(target) }).toEqual({ link, exists: true });
      if (anchor !== '') expect(anchors(target), link).toContain(anchor!);
    }
  });

  test('wraps its lines', () => {
    const long = proseLines(page).filter((line) => line.length > LONGEST_LINE && !line.startsWith('|'));
    expect(long).toEqual([]);
  });

  test('has the same number of cells in every row of a table', () => {
    let head = 0;
    for (const line of proseLines(page)) {
      if (!line.startsWith('|')) head = 0;
      else if (head === 0) head = cells(line).length;
      else expect({ line, cells: cells(line).length }).toEqual({ line, cells: head });
    }
  });

  test('has no footnotes, which the guide of the service cannot show', () => {
    expect(proseLines(page).filter((line) => line.includes('[^'))).toEqual([]);
  });

  test('never runs npx catalogue, which downloads an unrelated package', () => {
    expect(readFileSync(new URL(page, ROOT), 'utf8')).not.toContain('npx catalogue');
  });
});

test('docs/README.md links to every page, so the guide of the service lists it', () => {
  const index = readFileSync(new URL('docs/README.md', ROOT), 'utf8');
  expect(DOCS.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
});

test('the command of the npm package has the same name as the package', () => {
  expect(Object.keys(manifest.bin)).toEqual([manifest.name]);
});

test('every picture is on a page, and a story of the browser draws it', () => {
  const pictures = readdirSync(new URL('docs/img/', ROOT)).filter((name) => name.endsWith('.png'));
  const texts = PAGES.map((page) => readFileSync(new URL(page, ROOT), 'utf8')).join('\n');
  expect(pictures.filter((name) => !texts.includes(`img/${name})`))).toEqual([]);
  const stories = [...new Bun.Glob('test/browser/**/*.test.ts').scanSync(fileURLToPath(ROOT))];
  const drawn = stories.flatMap((name) => {
    const story = readFileSync(new URL(name, ROOT), 'utf8');
    return [...story.matchAll(/stage\.picture\('([\w-]+)'\)/g)].map(([, picture]) => `${picture}.png`);
  });
  expect(drawn.sort()).toEqual(pictures.sort());
});
