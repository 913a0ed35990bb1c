/** The tutorial docs/tutorial/pictures.md: its commands store three pictures, and its page shows them in a browser. */
import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserStories } from '../../support/browser/browser.ts';
import { gradient } from '../../support/pictures.ts';
import { run, temporaryFolder, until } from '../../support/processes/process.ts';

const guide = readFileSync(new URL('../../../docs/tutorial/pictures.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
const [html = ''] = blocks('html');
const ADDRESS = 'http://127.0.0.1:3000';
let folder = '';
let site: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await site?.stop(true);
  site = undefined;
});

/** The folder after the first commands of the tutorial. */
async function followImport() {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'pictures'));
  for (const [index, name] of ['chai', 'chang', 'syrup'].entries()) {
    writeFileSync(join(folder, `pictures/${name}.png`), gradient(800, 600, index * 50));
  }
  writeFileSync(join(folder, 'collections.yaml'), blocks('yaml')[0]!);
  writeFileSync(join(folder, 'products.csv'), blocks('csv')[0]!);
  const [importing] = blocks('sh')[0]!.split('\n');
  const { exitCode, stderr } = await run({ args: importing!.split(' ').slice(1), cwd: folder });
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  return { cwd: folder };
}

browserStories(
  'the page of the tutorial',
  (stage) => {
    test('shows three pictures in a small size, and a replaced one', async () => {
      expect(html.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
      const text = html.replace(ADDRESS, stage.service.url);
      const headers = { 'content-type': 'text/html' };
      site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(text, { headers }) });
      const address = `http://elsewhere.example:${site.port}`;
      await stage.page.goto(address);
      const shown = () =>
        stage.page.evaluate(`[...document.querySelectorAll('article')].map((each) => {
          const image = each.querySelector('img');
          return [each.innerText.trim(), image.alt, image.complete && /width=(256|512)$/.test(image.currentSrc),
            image.naturalWidth > 0, image.style.backgroundImage.startsWith('url("data:image/png')];
        })`);
      const expected = [
        ['Chai: 18 €', 'Chai', true, true, true],
        ['Chang: 19 €', 'Chang', true, true, true],
        ['Aniseed Syrup: 10 €', 'Aniseed Syrup', true, true, true],
      ];
      await until('three pictures', async () => Bun.deepEquals(await shown(), expected));
      const rows = () => stage.ask<{ image: { sha256: string } }[]>('/products?select=image(sha256)&order=id');
      const [chai, chang] = await rows();
      expect(chang).not.toEqual(chai!);
      const command = blocks('sh')[1]!;
      const replacing = Bun.spawn(['bash', '-c', command.replace(ADDRESS, stage.service.url)], {
        cwd: folder,
        stderr: 'ignore',
      });
      expect(await replacing.exited).toBe(0);
      expect((await rows())[1]).toEqual(chai!);
      await stage.page.goto(address);
      await until('three pictures again', async () => Bun.deepEquals(await shown(), expected));
      stage.complaints.length = 0;
    });
  },
  followImport,
);
