/** Accessibility checks of a page with axe, for users of screen readers and keyboards and users with low vision. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The minified script, because a browser compiles it for each page. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A script that waits for all finite animations, because axe must judge the final colours. */
const FADED_IN = `Promise.all(document.getAnimations()
  .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
  .map((each) => each.finished.catch(() => undefined))).then(() => undefined)`;

/**
 * A script that runs axe on the open dialog, or else on the page. Meanwhile it hides the elements behind a dialog, and
 * rows and cards after the sixth, which repeat the elements of the first ones: axe compares all visible elements. Their
 * parents do not list them, because axe also needs time for hidden elements. It disables media preloading, because the
 * pages have no media. A dialog needs neither landmarks nor a first heading.
 */
const run = (only: readonly string[] | undefined) => `(async () => {
  const dialog = [...document.querySelectorAll('dialog[open], [role=dialog]')].at(-1);
  const OF_PAGES = Object.fromEntries(['region', 'page-has-heading-one', 'landmark-one-main', 'heading-order', 'bypass']
    .map((id) => [id, { enabled: false }]));
  const hidden = [...document.querySelectorAll(':is([role=row], tr, article):nth-child(n+7)')];
  for (let each = dialog; each?.parentElement; each = each.parentElement) {
    hidden.push(...[...each.parentElement.children].filter((other) => other !== each));
  }
  const parents = new Set(hidden.map((each) => each.parentNode));
  for (const parent of parents) {
    const listed = [...parent.childNodes].filter((each) => !hidden.includes(each));
    Object.defineProperty(parent, 'childNodes', { configurable: true, value: listed });
  }
  for (const { style } of hidden) style?.setProperty('display', 'none', 'important');
  // Pages of tests are transparent.
  document.documentElement.style.opacity = '1';
  const found = await axe.run(dialog ?? document, {
    resultTypes: ['violations'],
    selectors: false,
    preload: false,
    ${only === undefined ? 'rules: dialog === undefined ? {} : OF_PAGES' : `runOnly: ${JSON.stringify(only)}`},
  });
  document.documentElement.style.removeProperty('opacity');
  for (const { style } of hidden) style?.removeProperty('display');
  for (const parent of parents) delete parent.childNodes;
  return found.violations;
})()`;

/** Returns all findings of axe on a loaded page or its open dialog, of any impact. `only` limits the rules. */
export async function axeFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
  // The page's content security policy blocks scripts, so only the debugger can add axe.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  await page.evaluate(FADED_IN);
  const violations = (await page.evaluate(run(only))) as Finding[];
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary ?? ''}`);
}
