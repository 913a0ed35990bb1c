/** The layer rules: imports only point to lower layers, and only the declaration names a field. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';
import { products } from '../../src/collection/products.ts';

const ROOT = new URL('../../src/', import.meta.url).pathname;
const FILES = [...new Glob('**/*.{ts,tsx}').scanSync(ROOT)].sort();

/** The layers from bottom to top. A folder may import from earlier layers and from itself. */
const LAYERS = [
  'base',
  'text',
  'collection',
  'import',
  'encode',
  'dialect',
  'http',
  'plan',
  'declare',
  'engine',
  'response',
  'files',
  'requests',
  'app',
  'pages',
  'serve',
  'cli',
];

/** Returns the layer of a file. Single files have their own layer or belong to the base layer. */
function layerOf(file: string): string {
  const [folder = '', ...rest] = file.split('/');
  if (folder === 'settings') return 'base';
  if (rest.length === 0) return file === 'app.ts' ? 'app' : file === 'main.ts' ? 'cli' : 'base';
  if (['openapi', 'console', 'observe', 'auth', 'feed'].includes(folder)) return 'pages';
  return folder;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from |import\(|import )'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );
}

test('every folder belongs to a layer', () => {
  expect([...new Set(FILES.map(layerOf))].filter((layer) => !LAYERS.includes(layer))).toEqual([]);
});

test('imports only point to lower layers', () => {
  const wrong: string[] = [];
  for (const file of FILES) {
    for (const imported of importsOf(file).filter((path) => !path.startsWith('..'))) {
      if (LAYERS.indexOf(layerOf(imported)) > LAYERS.indexOf(layerOf(file))) wrong.push(`${file} imports ${imported}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The folders of the console from bottom to top. The files beside them start it. */
const CONSOLE_LAYERS = [
  ...['base', 'i18n', 'api', 'components', 'fields', 'find', 'views', 'export', 'history', 'record', 'grid', 'import'],
  ...['overview', 'settings', 'app', ''],
];

/** The input of files is a part of the kind of a field. */
function consoleLayerOf(file: string): number {
  const [folder = '', ...rest] = file.slice('console/browser/'.length).split('/');
  return CONSOLE_LAYERS.indexOf(rest.length === 0 ? '' : folder === 'files' ? 'fields' : folder);
}

/** The parts of the service that run in a browser. */
const BROWSER_CODE =
  /^((console\/browser|base|collection|declare\/rows|dialect|import|settings)\/|encode\/(csv|workbook)\.ts$)/;

test('imports of the console only point to lower folders, and to code that a browser runs', () => {
  const isConsole = (file: string) => file.startsWith('console/browser/');
  const own = FILES.filter(isConsole);
  expect(own.flatMap(importsOf).filter((path) => !BROWSER_CODE.test(path))).toEqual([]);
  expect(own.filter((file) => consoleLayerOf(file) === -1)).toEqual([]);
  const wrong = own.flatMap((file) =>
    importsOf(file)
      .filter((path) => isConsole(path) && consoleLayerOf(path) > consoleLayerOf(file))
      .map((path) => `${file} imports ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('dialect and plan do not import from http', () => {
  const wrong = FILES.filter((file) => /^(dialect|plan)\//.test(file)).flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith('http/'))
      .map((path) => `${file} imports ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('no stage after http sees a Request', () => {
  const stages =
    /^(dialect|plan|engine|files|requests|response|auth|feed|observe|openapi|serve\/mcp|app\.ts|console\/[^/]+\.ts)/;
  const seeing = FILES.filter((file) => stages.test(file)).filter((file) =>
    /: Request\b|new Request\(|<Request>/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  // The entry, which makes it a call, and the threads of engines, which have requests of their own.
  expect(seeing).toEqual(['app.ts', 'engine/shared/thread.ts']);
});

test('no stage after http reads a header of a request by its name', () => {
  const reading = FILES.filter((file) => !/^(http|console\/browser)\//.test(file)).filter((file) =>
    /\bcall\.headers\b|\bheaders\b[^;=()]*\}: Call\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(reading).toEqual([]);
});

test('no file imports itself indirectly', () => {
  const circles: string[] = [];
  const settled = new Set<string>();
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (way.includes(file) || settled.has(file)) return;
    for (const imported of importsOf(file)) visit(imported, [...way, file]);
    settled.add(file);
  };
  for (const file of FILES) visit(file, []);
  expect(circles).toEqual([]);
});

test('only the declaration names a field', () => {
  // `id` is a common word in the code; the other names occur only in products.
  const names = products.fields.map((field) => field.name).filter((name) => name !== 'id');
  const naming = FILES.filter((file) => file !== 'collection/products.ts').flatMap((file) => {
    // Ignores comments and the example in the operator table.
    const code = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return names.filter((name) => code.includes(name)).map((name) => `${file} names ${name}`);
  });
  expect(naming.filter((each) => !each.startsWith('dialect/operators.ts'))).toEqual([]);
});

test('only the engines and the code that opens them know which engine runs', () => {
  const knowing = FILES.filter((file) => !file.startsWith('engine/')).filter((file) =>
    importsOf(file).some((path) => path.startsWith('engine/sqlite/') || path.startsWith('engine/postgres/')),
  );
  expect(knowing).toEqual([]);
});
