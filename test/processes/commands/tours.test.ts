/** The tours in the README and the documentation: each command prints what the page shows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, PROGRAM, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

/** The folder of the command `catalogue`. */
let bin: string;
beforeAll(() => {
  bin = temporaryFolder();
  writeFileSync(join(bin, 'catalogue'), `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`, { mode: 0o755 });
});
afterAll(cleanUp);

const BUN = new URL('../../../node_modules/.bin', import.meta.url).pathname;
const ADDRESS = 'http://127.0.0.1:3000';

function blocks(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language} tour\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text!,
  );
}

/** Parses the commands of a block, each with its output. A `\` at the end of a line continues the command. */
function stepsOf(block: string): { command: string; printed: string }[] {
  const steps: { command: string; printed: string }[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (last?.command.endsWith('\\')) last.command += `\n${line}`;
    else if (!line.startsWith('# ')) steps.push({ command: line, printed: '' });
    else last!.printed += `${line.slice(2)}\n`;
  }
  return steps;
}

/** The files that a page shows in blocks such as ```json tour shop.json; YAML without a name is the declaration. */
function filesOf(page: string): { name: string; text: string }[] {
  return [...page.matchAll(/^```(\w+) tour(?: (\S+))?\n([\s\S]*?)^```$/gm)]
    .map(([, language, name, text]) => ({ name: name ?? (language === 'yaml' ? 'collections.yaml' : ''), text: text! }))
    .filter(({ name }) => name !== '');
}

async function stop(service: Service | undefined): Promise<undefined> {
  service?.kill('SIGTERM');
  await service?.exited;
}

const ROOT = new URL('../../../', import.meta.url);
const DOCS = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
const PAGES = ['README.md', 'examples/shop/README.md', ...DOCS].filter(
  (name) => name.endsWith('.md') && blocks(readFileSync(new URL(name, ROOT), 'utf8'), 'sh').length > 0,
);

test.each(PAGES)('every command of the tour in %s prints what the page shows', async (name) => {
  const page = readFileSync(new URL(name, ROOT), 'utf8');
  const cwd = temporaryFolder();
  if (name.startsWith('examples/')) cpSync(new URL('.', new URL(name, ROOT)), cwd, { recursive: true });
  for (const file of filesOf(page)) writeFileSync(join(cwd, file.name), file.text);
  let service: Service | undefined;
  let count = 0;
  for (const block of blocks(page, 'sh')) {
    if (block.includes(ADDRESS)) service ??= await startService({ cwd });
    else service = await stop(service);
    for (const { command, printed } of stepsOf(block)) {
      const text = command.replaceAll(ADDRESS, service?.url ?? ADDRESS).replace(/^curl /, 'curl -s ');
      const env = { ...process.env, PATH: `${bin}:${BUN}:${process.env.PATH}` };
      const child = Bun.spawn(['bash', '-c', text], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
      const output = await new Response(child.stdout).text();
      await child.exited;
      expect({ command, output: output.trimEnd() }).toEqual({ command, output: printed.trimEnd() });
      count++;
    }
  }
  const [, greeting] = /^```text\n(Product Catalogue listens[\s\S]*?)^```$/m.exec(page) ?? [];
  if (greeting !== undefined) expect(service!.stdout().replaceAll(service!.url, ADDRESS)).toContain(greeting);
  await stop(service);
  expect(count).toBeGreaterThan(3);
});

test('the README has no commands besides its tour and those that start the service and the tests', () => {
  const page = readFileSync(new URL('README.md', ROOT), 'utf8');
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text]) => text!.trim().split('\n'));
  expect(commands.map((line) => line.replace(/ +#.*/, ''))).toEqual([
    'npm install && npm start',
    'npm install && npm test',
  ]);
});
