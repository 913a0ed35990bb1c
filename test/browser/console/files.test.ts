/** Pictures and files in the console: upload, preview, order, and thumbnails in the list. */
import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, savedFile } from '../../support/browser/browser.ts';
import { gradient } from '../../support/pictures.ts';
import { temporaryFolder, until } from '../../support/processes/process.ts';

const DECLARATION = `collections:
  teas:
    fields:
      id: int4
      name: { type: text, required: true }
      image: image
      images: { type: 'image[]', maxCount: 4 }
      manual: { type: file, mediaTypes: [text/plain] }
    rows: teas.json
`;

const picture = (name: string, seed: number) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(gradient(60, 40, seed)),
});

interface Tea {
  readonly image: { readonly name: string } | null;
  readonly images: readonly { readonly name: string }[];
  readonly manual: { readonly name: string } | null;
}

async function untilLoaded(pictures: Locator, count: number): Promise<void> {
  await until(`${count} pictures`, async () => {
    const widths = await pictures.evaluateAll((all) => all.map((each) => Reflect.get(each, 'naturalWidth') as number));
    return widths.length === count && widths.every((width) => width > 0);
  });
}

let proxy: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await proxy?.stop(true);
  proxy = undefined;
});

/** A proxy that requires a token for everything but the pages. */
function guard(target: string): string {
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy service may answer late.
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers, body } = request;
      if (!pathname.startsWith('/console') && headers.get('authorization') !== 'Bearer right')
        return Response.json({ code: 'PGRST301', message: 'No token' }, { status: 401 });
      return fetch(`${target}${pathname}${search}`, { method, headers, body, redirect: 'manual', decompress: false });
    },
  });
  return `http://127.0.0.1:${proxy.port}`;
}

browserStories(
  'files',
  (stage) => {
    test('pictures also appear if a proxy asks for a token, which picture elements do not send', async () => {
      const body = gradient(60, 40);
      await stage.service.fetch('/teas/1/image', { method: 'PUT', headers: { 'content-type': 'image/png' }, body });
      await stage.reopen({}, guard(stage.service.url));
      await stage.open('/c/teas');
      await stage.page.getByLabel('Token').fill('right');
      await stage.page.keyboard.press('Enter');
      const thumbnail = stage.page.getByRole('gridcell').locator('img');
      await thumbnail.waitFor();
      await untilLoaded(thumbnail, 1);
    });

    test('pictures are chosen, dropped, pasted, ordered and removed, and the list shows them', async () => {
      const { page } = stage;
      const tea = async () =>
        (await stage.ask<Tea[]>('/teas?id=eq.1&select=image(name),images(name),manual(name)'))[0]!;
      await stage.open('/c/teas/1');
      await page.getByLabel('Image', { exact: true }).and(page.locator('input')).setInputFiles(picture('front.png', 1));
      await page.getByRole('img', { name: 'front.png' }).waitFor();
      const images = page.getByRole('group', { name: 'Images' });
      await images.locator('input').setInputFiles([picture('one.png', 2), picture('two.png', 3)]);
      await images.getByRole('img', { name: 'two.png' }).waitFor();

      // A drop, and a paste, as the browser reports them.
      const send = (event: 'drop' | 'paste', name: string, content: Uint8Array, type: string, target: string) =>
        page.evaluate(`{
          const data = new DataTransfer();
          const bytes = new Uint8Array(${JSON.stringify([...content])});
          data.items.add(new File([bytes], '${name}', { type: '${type}' }));
          const options = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
          const event = '${event}' === 'drop' ? new DragEvent('drop', options) : new ClipboardEvent('paste', options);
          document.querySelector('${target}').dispatchEvent(event);
        }`);
      await send('drop', 'three.png', gradient(60, 40, 4), 'image/png', '[aria-label=Images]');
      await images.getByRole('img', { name: 'three.png' }).waitFor();
      await send('paste', 'four.png', gradient(60, 40, 5), 'image/png', '[aria-label=Images] input');
      await images.getByRole('img', { name: 'four.png' }).waitFor();
      await send('drop', 'manual.txt', new TextEncoder().encode('Brew it.'), 'text/plain', '[aria-label=Manual]');
      await page.getByText('manual.txt').waitFor();
      await send('drop', 'five.png', gradient(60, 40, 6), 'image/png', '[aria-label=Images]');
      await stage.until('At most 4 files.');

      await images.getByRole('button', { name: 'Move three.png left' }).click();
      await images.getByRole('button', { name: 'Remove one.png' }).click();
      await page.locator('main:focus').waitFor();
      expect((await tea()).images).toEqual([]);
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Control+s');
      await stage.until('Saved.');
      expect(await tea()).toEqual({
        image: { name: 'front.png' },
        images: [{ name: 'three.png' }, { name: 'two.png' }, { name: 'four.png' }],
        manual: { name: 'manual.txt' },
      });

      await page.getByRole('group', { name: 'Manual' }).locator('input').setInputFiles(picture('wrong.png', 7));
      await page.getByRole('img', { name: 'wrong.png' }).or(page.getByText('wrong.png')).first().waitFor();
      await page.keyboard.press('Control+s');
      await page.locator('.labelled.invalid', { hasText: 'Manual' }).waitFor();
      expect((await tea()).manual).toEqual({ name: 'manual.txt' });

      await stage.open('/c/teas');
      const thumbnails = page.getByRole('gridcell').locator('img');
      await untilLoaded(thumbnails, 4);

      await page.getByRole('button', { name: 'Layout: Table' }).click();
      await page.getByRole('menuitemradio', { name: 'Gallery' }).click();
      const card = page.getByRole('article', { name: 'Assam' });
      await untilLoaded(card.locator('img.card-picture'), 1);
      expect(await axeFindings(page)).toEqual([]);
      await card.getByRole('link', { name: 'Assam' }).click();
      await page.getByRole('heading', { name: 'Assam' }).waitFor();
    });

    test.each(['CSV', 'Excel (.xlsx)'])(
      'an export to %s has the addresses of files, which an import reads',
      async (format) => {
        const { page } = stage;
        const headers = { 'content-type': 'image/png' };
        await stage.service.fetch('/teas/1/image', { method: 'PUT', headers, body: gradient(60, 40) });
        for (const seed of [2, 3])
          await stage.service.fetch('/teas/1/images', { method: 'POST', headers, body: gradient(60, 40, seed) });
        const before = await stage.ask<{ image: string; images: string[] }[]>('/teas');
        await stage.open('/c/teas');
        await page.getByRole('button', { name: 'Export' }).click();
        const saved = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: format }).click();
        const path = await savedFile(await saved);
        if (format === 'CSV') {
          const text = readFileSync(path, 'utf8');
          expect(text).toContain(`${stage.service.url}/catalogue/files/${before[0]!.image}/file`);
          const [address] = /http[^\s,"]+/.exec(text)!;
          expect((await fetch(address!)).headers.get('content-type')).toBe('image/png');
        }
        await stage.service.fetch('/teas?id=eq.1', { method: 'PATCH', body: '{"image":null,"images":null}' });
        await stage.open('/import/teas');
        await page.locator('input[type=file]').setInputFiles(path);
        await page.getByLabel('Replace them with the values of the file').check();
        await page.getByRole('button', { name: 'Import 1 row' }).click();
        await stage.until('1 row changed.');
        expect(await stage.ask<unknown>('/teas')).toEqual(before);
      },
    );
  },
  async () => {
    const cwd = temporaryFolder();
    await Bun.write(join(cwd, 'collections.yaml'), DECLARATION);
    await Bun.write(join(cwd, 'teas.json'), JSON.stringify([{ id: 1, name: 'Assam' }]));
    return { cwd };
  },
);
