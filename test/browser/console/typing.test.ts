/** Two people type into the same cells at the speed of a typist: each value is stored, or listed to be decided. */
import { expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, clipboardEvent, type Product, type Stage, untilShown } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';

/** Eight keys a second. */
const DELAY_MS = 125;
/** The typed prices; `TYPED_ROWS=120` types for a minute. */
const ROWS = Number(process.env.TYPED_ROWS ?? 8);

const cellIn = (page: Page, field: string, row: number) =>
  page.locator(`[role=row][aria-rowindex="${row + 2}"] [role=gridcell][data-field=${field}]`);
const priceCell = (page: Page, row: number) => cellIn(page, 'unit_price', row);
const unsaved = (page: Page) => page.getByRole('region', { name: 'Not saved' });

const CONTROL = 2;

/** A key as the keyboard sends it: a digit, Enter, or `^z` for Ctrl+Z. */
async function press(keyboard: CDPSession, name: string): Promise<void> {
  const isControl = name.startsWith('^');
  const key = isControl ? name.slice(1) : name;
  const code = key === 'Enter' ? 13 : key.toUpperCase().charCodeAt(0);
  const prefix = isControl ? 'Key' : 'Digit';
  const event = {
    key,
    code: key === 'Enter' ? key : `${prefix}${key.toUpperCase()}`,
    windowsVirtualKeyCode: code,
    modifiers: isControl ? CONTROL : 0,
  };
  const pressed = isControl
    ? { type: 'rawKeyDown' as const }
    : { type: 'keyDown' as const, text: String.fromCharCode(code) };
  const down = keyboard.send('Input.dispatchKeyEvent', { ...event, ...pressed });
  await Promise.all([down, keyboard.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' })]);
}

/**
 * Types prices down the column: `first`, `first + 1` and so on. Each key has its time, whether the page has handled the
 * one before or not. `between` has more keys after a row. Returns the keys per second that the page received.
 */
async function typePrices(
  page: Page,
  first: number,
  between: (row: number) => readonly string[] = () => [],
): Promise<number> {
  await priceCell(page, 0).click();
  await page.evaluate('keyTimes = []; addEventListener("keydown", ({ timeStamp }) => keyTimes.push(timeStamp), true)');
  const keyboard = await page.context().newCDPSession(page);
  const keys = Array.from({ length: ROWS }, (_, row) => [...String(first + row), 'Enter', ...between(row)]).flat();
  const start = performance.now();
  const pressed: Promise<void>[] = [];
  for (const [at, key] of keys.entries()) {
    await Bun.sleep(Math.max(0, start + at * DELAY_MS - performance.now()));
    pressed.push(press(keyboard, key));
  }
  await Promise.all(pressed);
  const times = await page.evaluate<number[]>('keyTimes');
  expect(times).toHaveLength(keys.length);
  return ((times.length - 1) * 1000) / (times.at(-1)! - times[0]!);
}

interface LoggedPrice {
  readonly key: string;
  readonly after: { readonly [field: string]: unknown };
}

/** The typed prices that are neither stored by a change nor listed on the page of the person. */
async function lostPrices(stage: Stage, page: Page, first: number): Promise<readonly string[]> {
  const log = await stage.ask<LoggedPrice[]>('/changes?collection=eq.products&kind=eq.update&select=key,after');
  const stored = new Set(log.map(({ key, after }) => `${key}: ${after.unit_price}`));
  const listed = await unsaved(page).getByRole('listitem').allTextContents();
  return Array.from({ length: ROWS }, (_, row) => `${row + 1}: ${first + row}`).filter(
    (typed) =>
      !stored.has(typed) && !listed.some((text) => text.replaceAll(',', '').includes(`Save ${typed.split(' ')[1]}.00`)),
  );
}

/** Pastes four prices, types a stock into a row and repeats it with the handle, and adds two rows at the end. */
async function pasteFillAndAdd(page: Page, first: number, [source, last]: [number, number], name: string) {
  await priceCell(page, 0).click();
  const block = [0, 1, 2, 3].map((row) => first + row).join('\n');
  await page.evaluate(clipboardEvent('paste', { 'text/plain': block }));
  await page.getByRole('button', { name: 'Change 4 cells' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await cellIn(page, 'units_in_stock', source).click();
  await page.keyboard.type(String(first), { delay: DELAY_MS });
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  const [from, to] = [page.locator('.fill-handle'), cellIn(page, 'units_in_stock', last)];
  const [{ x, y }, end] = [(await from.boundingBox())!, (await to.boundingBox())!];
  await page.mouse.move(x + 4, y + 4);
  await page.mouse.down();
  await page.mouse.move(end.x + 9, end.y + 9, { steps: 5 });
  await page.mouse.up();

  for (const key of ['Control+End', 'Home', 'ArrowDown']) await page.keyboard.press(key);
  for (const each of ['one', 'two']) {
    await page.keyboard.type(`${name} ${each}`, { delay: DELAY_MS });
    await page.keyboard.press('Enter');
  }
}

browserStories('two people who type', (stage) => {
  /** The page of the story and one of another person, each with the list. */
  const openTwo = async (prepare?: (page: Page) => Promise<unknown>) => {
    const browser = stage.page.context().browser()!;
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const pages = [stage.page, await context.newPage()] as const;
    for (const page of pages) {
      await prepare?.(page);
      await page.goto(`${stage.service.url}/console/c/products?order=id`);
      await untilShown(page, ['Chai']);
    }
    return { ann: pages[0], ben: pages[1], close: () => context.close() };
  };

  test('every value of both is stored or listed, and neither loses the focus', async () => {
    const more = Array.from({ length: Math.max(0, ROWS - 77) }, (_, at) => ({ product_name: `Tea ${at}` }));
    if (more.length > 0) await stage.service.fetch('/products', { method: 'POST', body: JSON.stringify(more) });
    // Neither sees the changes of the other as they happen, so that both change the same cells.
    const { ann, ben, close } = await openTwo((page) => page.route(/\/catalogue\/changes/, (route) => route.abort()));
    const rates = await Promise.all([typePrices(ann, 100), typePrices(ben, 300)]);
    if (process.env.TYPED_ROWS !== undefined) console.log(`keys per second: ${rates.map((each) => each.toFixed(2))}`);
    await until('the end of all writes', async () => {
      const lost = [...(await lostPrices(stage, ann, 100)), ...(await lostPrices(stage, ben, 300))];
      return lost.length === 0;
    });
    const counts = [await unsaved(ann).getByRole('listitem').count(), await unsaved(ben).getByRole('listitem').count()];
    expect(counts[0]! + counts[1]!).toBe(ROWS);
    for (const page of [ann, ben]) expect(await page.getByRole('dialog').count()).toBe(0);

    // The marked cell has the stored value, the list has both. The person decides.
    const second = counts[0]! > counts[1]! ? ann : ben;
    expect(await axeFindings(second)).toEqual([]);
    const listed = unsaved(second).getByRole('listitem');
    const count = await listed.count();
    const title = (await listed.first().textContent())!.split(':')[0]!;
    const stored = async () => {
      const filter = `product_name=eq.${encodeURIComponent(title)}`;
      return (await stage.ask<{ unit_price: number }[]>(`/products?${filter}`))[0]!.unit_price;
    };
    const theirs = await stored();
    const own = second === ann ? theirs - 200 : theirs + 200;
    await listed.first().getByText(`Someone else changed this to ${theirs}.00.`).waitFor();
    await listed
      .first()
      .getByRole('button', { name: `Save ${own}.00` })
      .click();
    await until('the own value', async () => (await stored()) === own);
    await until('a shorter list', async () => (await listed.count()) === count - 1);
    await unsaved(second).getByRole('button', { name: 'Keep all stored values' }).click();
    await unsaved(second).waitFor({ state: 'detached' });
    expect(await second.locator('.grid-cell.failed').count()).toBe(0);
    await close();
  });

  test('no value is lost while a third person raises all prices, and both undo and repeat', async () => {
    const { ann, ben, close } = await openTwo();
    let isTyping = true;
    const raise = async () => {
      const body = '{"unit_price":{"increment":1}}';
      for (; isTyping; await Bun.sleep(700))
        expect((await stage.service.fetch('/products?id=gt.0', { method: 'PATCH', body })).status).toBe(204);
    };
    const raised = raise();
    await Promise.all([
      typePrices(ann, 1100, (row) => (row % 3 === 2 ? ['^z'] : [])),
      typePrices(ben, 3300, (row) => (row % 4 === 3 ? ['^z', '^y'] : [])),
    ]);
    isTyping = false;
    await raised;
    await until('the end of all writes', async () => {
      const lost = [...(await lostPrices(stage, ann, 1100)), ...(await lostPrices(stage, ben, 3300))];
      return lost.length === 0;
    });
    for (const page of [ann, ben]) {
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
    }
    await close();
  });

  test('two people paste, repeat cells and add rows at once: every value of both is stored or listed', async () => {
    const list = 'category_id=eq.8&order=id';
    const rows = await stage.ask<Product[]>(`/products?${list}&select=id,product_name&limit=5`);
    const { ann, ben, close } = await openTwo((page) => page.route(/\/catalogue\/changes/, (route) => route.abort()));
    for (const page of [ann, ben]) {
      await page.goto(`${stage.service.url}/console/c/products?${list}`);
      await untilShown(page, ['Ikura']);
    }
    await Promise.all([pasteFillAndAdd(ann, 100, [0, 3], 'Ann'), pasteFillAndAdd(ben, 300, [4, 1], 'Ben')]);
    const lost = async () => {
      const log = await stage.ask<LoggedPrice[]>('/changes?collection=eq.products&kind=eq.update&select=key,after');
      const lines = (page: Page) => unsaved(page).getByRole('listitem').allTextContents();
      const listed = [await lines(ann), await lines(ben)];
      const values = [
        { person: 0, field: 'unit_price', from: 0, values: [100, 101, 102, 103] },
        { person: 1, field: 'unit_price', from: 0, values: [300, 301, 302, 303] },
        { person: 0, field: 'units_in_stock', from: 0, values: [100, 100, 100, 100] },
        { person: 1, field: 'units_in_stock', from: 1, values: [300, 300, 300, 300] },
      ];
      return values.flatMap(({ person, field, from, values }) =>
        values.filter((value, at) => {
          const { id, product_name } = rows[from + at]!;
          const isListed = listed[person]!.some(
            (line) => line.startsWith(`${product_name}: `) && line.includes(`Save ${value}`),
          );
          return !isListed && !log.some(({ key, after }) => key === String(id) && after[field] === value);
        }),
      );
    };
    await until('every value stored or listed', async () => (await lost()).length === 0);
    const added = await stage.ask<Product[]>('/products?select=product_name,category_id&id=gt.77');
    expect(added.map((row) => row.product_name).sort()).toEqual(['Ann one', 'Ann two', 'Ben one', 'Ben two']);
    expect(new Set(added.map((row) => row.category_id))).toEqual(new Set([8]));
    for (const page of [ann, ben])
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
    await close();
  });

  test('a value for a row that someone deletes meanwhile is kept until the row is back', async () => {
    const { page } = stage;
    await stage.open('/c/products?order=id');
    await untilShown(page, ['Chai']);
    await priceCell(page, 3).click();
    await page.keyboard.type('5', { delay: DELAY_MS });
    expect((await stage.service.fetch('/products?id=eq.4', { method: 'DELETE' })).status).toBe(204);
    await page.keyboard.type('5', { delay: DELAY_MS });
    await page.keyboard.press('Enter');
    const listed = unsaved(page).getByRole('listitem');
    await listed.getByText('Someone deleted this row.').waitFor();
    expect(await listed.getByRole('button').allTextContents()).toEqual(['Save 55.00', 'Discard']);
    await listed.getByRole('link').click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByLabel('Unit price').waitFor();
    await page.goBack();
    await listed.getByRole('button', { name: 'Save 55.00' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    expect((await stage.product(4)).unit_price).toBe(55);
  });
});
