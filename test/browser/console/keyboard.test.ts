/** Tasks by keyboard alone: the documentation says what a screen reader says after each key. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { browserStories, type Stage } from '../../support/browser/browser.ts';
import { type ScreenReader, screenReader } from '../../support/browser/screen-reader.ts';
import { until } from '../../support/processes/process.ts';

const PAGE = fileURLToPath(new URL('../../../docs/reference/console-by-keyboard.md', import.meta.url));
/** Whether to write the page instead of comparing it, as the stories with pictures do. */
const WRITES = process.env.TAKE_SCREENSHOTS === '1';
const SETTLED_MS = 1_500;
const KEY_WIDTH = 16;

const FILE = {
  name: 'new.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('product_name,unit_price\nGood tea,1\nBad tea,cheap\n'),
};

/** Events besides keys. */
const EVENTS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  '(another person)': ({ service }) =>
    service.fetch('/products?id=eq.1', { method: 'PATCH', body: '{"unit_price":25}' }),
  '(choose a file)': ({ page }) => page.locator('input[type=file]').setInputFiles(FILE),
};

async function act(stage: Stage, action: string, reader: ScreenReader | undefined): Promise<ScreenReader> {
  const [, place] = /^open (.*)/.exec(action) ?? [];
  if (place !== undefined) {
    await stage.open(place);
    await stage.page.locator('main h1').waitFor();
    await stage.page.locator('.skeleton').first().waitFor({ state: 'hidden' });
    return screenReader(stage.page);
  }
  await reader!.forget();
  const [, text] = /^type (.*)/.exec(action) ?? [];
  const [key = '', times = '1'] = action.split(' ×');
  if (text !== undefined) await stage.page.keyboard.type(text);
  else if (EVENTS[action] !== undefined) await EVENTS[action](stage);
  else for (let pressed = 0; pressed < Number(times); pressed++) await stage.page.keyboard.press(key);
  return reader!;
}

browserStories('a keyboard', (stage) => {
  const text = readFileSync(PAGE, 'utf8');
  const tasks = [...text.matchAll(/^## (.*)$[\s\S]*?^```text keys\n([\s\S]*?)^```$/gm)];
  test.each(tasks.map(([, name, lines]) => [name!, lines!] as const))(
    '%s: each key says where it leads',
    async (name, lines) => {
      const { page } = stage;
      // The conflict is found when the value is saved.
      if (name === 'Resolve a conflict') await page.route(/\/catalogue\/changes/, (route) => route.abort());
      let reader: ScreenReader | undefined;
      const written: string[] = [];
      for (const line of lines.trim().split('\n')) {
        const [, action = '', expected = ''] = /^(.*?)(?: {2,}(.*))?$/.exec(line)!;
        reader = await act(stage, action, reader);
        if (action.startsWith('open ')) {
          written.push(action);
          continue;
        }
        if (WRITES) await page.waitForTimeout(SETTLED_MS);
        else await until(`“${expected}” after ${action}`, async () => (await reader!.say()) === expected);
        written.push(`${action.padEnd(KEY_WIDTH)}  ${await reader.say()}`);
      }
      if (WRITES) writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(lines, `${written.join('\n')}\n`));
      expect(written.join('\n')).toBe(WRITES ? written.join('\n') : lines.trim());
    },
  );
});
