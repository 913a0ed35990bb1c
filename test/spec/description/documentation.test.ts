/** Checks the documentation: every request in it runs, and it contains every operator, preference and error code. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ERRORS } from '../../../src/base/errors.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { ANONYMOUS, type Caller } from '../../../src/collection/access/caller.ts';
import { OPERATORS } from '../../../src/dialect/operators.ts';
import { MEDIA_TYPES } from '../../../src/http/negotiate.ts';
import { type Catalogue, openCatalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared, openShop } from '../../support/engines/shop.ts';

const DOCS = new URL('../../../docs/', import.meta.url);
const read = (name: string) => readFileSync(new URL(`${name}.md`, DOCS), 'utf8');
const PAGES_WITH_REQUESTS = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace('.md', ''))
  .filter((name) => read(name).includes('```http\n'));

/** Pages whose requests each apply to a new catalogue. */
const INDEPENDENT = ['writing', 'safe-writes', 'batch'].map((name) => `reference/${name}`);

interface Example {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly status: number;
  readonly rows?: number;
  readonly code?: string;
  readonly answerHeaders: readonly (readonly [string, string])[];
  readonly answer?: string;
}

/**
 * Parses the ```http blocks: a request line, headers, a blank line and a body. Then `→ status`, other expectations and
 * headers follow. A blank line and the body of the response may end the block.
 */
function examples(name: string): Example[] {
  return [...read(name).matchAll(/```http\n([\s\S]*?)```/g)].map(([, block]) => {
    const [request = '', response = ''] = block!.split('→ ');
    const [head = '', ...body] = request.split('\n\n');
    const [line = '', ...headers] = head.trim().split('\n');
    const [answerHead = '', ...answer] = response.trim().split('\n\n');
    const [summary = '', ...answerHeaders] = answerHead.split('\n');
    const space = line.indexOf(' ');
    const rows = /(\d+) rows?/.exec(summary)?.[1];
    const code = /code (\w+)/.exec(summary)?.[1];
    return {
      method: line.slice(0, space),
      path: encodeURI(line.slice(space + 1)).replaceAll('%25', '%'),
      headers: Object.fromEntries(headers.map(splitHeader)),
      body: body.length === 0 ? null : body.join('\n\n').replace(/\n$/, ''),
      status: Number.parseInt(summary, 10),
      ...(rows === undefined ? {} : { rows: Number(rows) }),
      ...(code === undefined ? {} : { code }),
      answerHeaders: answerHeaders.map(splitHeader),
      ...(answer.length === 0 ? {} : { answer: answer.join('\n\n') }),
    };
  });
}

/** Opens the declaration and the rows that a page shows in blocks of its name, or else the default catalogue. */
function openPage(engine: string, name: string): Promise<Catalogue> {
  if (name === 'reference/embedding') return openShop(engine);
  const block = (language: string) =>
    new RegExp(`\`\`\`${language} ${basename(name)}\\n([\\s\\S]*?)\`\`\``).exec(read(name))?.[1];
  const declaration = block('yaml');
  if (declaration === undefined) return openCatalogue(engine);
  return openDeclared(engine, declaredBy(declaration), JSON.parse(block('json')!), { identify: named });
}

/** Parses a token such as `Bearer supplier-1` into a role and the claim that the page gives it. */
function named({ headers }: Pick<Request, 'headers'>): Caller {
  const [role, id] = headers.get('authorization')?.replace('Bearer ', '').split('-') ?? [];
  return role === undefined
    ? ANONYMOUS
    : { role, claims: Number(id) > 0 ? { supplier_id: Number(id), customer_id: Number(id) } : {} };
}

/** Parses a body as JSON, so that a page may wrap it, or else returns its text. */
function parsed(body: string): unknown {
  return /^[[{]/.test(body) ? JSON.parse(body) : body.trimEnd();
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

describe.each(TWO_ENGINES)('requests in the documentation on %s', (engine) => {
  describe.each(PAGES_WITH_REQUESTS)('%s', (name) => {
    let catalogue: Catalogue;
    beforeAll(async () => {
      catalogue = await openPage(engine, name);
    });
    afterAll(() => catalogue.close());

    for (const [index, example] of examples(name).entries()) {
      const { method, path, headers, body, status, rows, code, answerHeaders, answer } = example;
      test(`${index + 1}: ${method} ${path}`, async () => {
        if (INDEPENDENT.includes(name)) {
          await catalogue.close();
          catalogue = await openCatalogue(engine);
        }
        const response = await catalogue.fetch(path, { method, headers, body });
        const text = await response.text();
        expect(response.status, text).toBe(status);
        if (rows !== undefined) expect(JSON.parse(text)).toHaveLength(rows);
        if (code !== undefined) expect(JSON.parse(text)).toHaveProperty('code', code);
        for (const [header, value] of answerHeaders) expect(response.headers.get(header)).toBe(value);
        if (answer !== undefined) expect(parsed(text)).toEqual(parsed(answer));
      });
    }
  });
});

test('every operator is documented with its meaning, and no unknown operator is', () => {
  const documented = [...read('reference/queries').matchAll(/^\| `([a-z]+)` \| .+ \| `\w+=\1[.(]/gm)].map(
    ([, name]) => name!,
  );
  expect(documented.sort()).toEqual(Object.keys(OPERATORS).sort());
});

test('every media type is documented', () => {
  const page = read('reference/responses');
  const types = MEDIA_TYPES.filter(
    (type) => !['application/vnd.pgrst.array', 'application/vnd.pgrst.object'].includes(type),
  );
  expect(types.filter((type) => !page.includes(type))).toEqual([]);
});

test('every error code is documented with its status and meaning, and no unknown code is', () => {
  const rows = [...read('reference/errors').matchAll(/^\| (\w+) \| (\d+) \| (.+) \|$/gm)].map(
    ([, code, status, meaning]) => [code, status, meaning],
  );
  const catalogue = Object.entries(ERRORS).map(([code, { status, meaning }]) => [code, String(status), meaning]);
  expect(rows).toEqual(catalogue);
});

/** A call of the program, also by another user, in a container, by its path, or with variables. */
const CALL = /^(?:\w+=\S* )*(?:sudo (?:-u \w+ )?|docker exec (?:-i )?\w+ )?(?:\S*\/)?catalogue (\w+)(.*)/;

test('every command line of a page outside a tour names a command and flags that exist', async () => {
  const flags = new Map<string, Set<string>>();
  const flagsOf = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
  for (const [name, [, load]] of Object.entries(COMMANDS))
    flags.set(name, new Set(flagsOf((await load()).command.help())));
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const wrong = ['../README.md', ...pages].flatMap((file) => {
    const page = readFileSync(new URL(file, DOCS), 'utf8').replaceAll(/\\\n\s*/g, '');
    const code = page.matchAll(/^```sh\n([\s\S]*?)^```$|^ {4}(\S.*)$/gm);
    const lines = [...code].flatMap(([, block, line]) => (block ?? line!).split('\n'));
    const commands = lines.flatMap((line) => line.replace(/(^| )# .*/, '').split(/ && | \| |; /));
    return commands.flatMap((command) => {
      const [, name, rest] = CALL.exec(command.trim()) ?? [];
      if (name === undefined) return [];
      const known = flags.get(name);
      return flagsOf(rest!)
        .concat(known === undefined ? [name] : [])
        .filter((flag) => !known?.has(flag) && !flags.get('serve')!.has(flag) && flag !== '--help')
        .map((flag) => `${file}: ${command.trim()}: ${flag}`);
    });
  });
  expect(wrong).toEqual([]);
});
