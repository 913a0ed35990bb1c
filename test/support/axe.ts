/** A page as axe judges it, for people who use it with a screen reader, a keyboard or weak eyes. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Colours are judged when they are what they will be: after everything that fades, and ends, has ended. */
const FADED_IN = `Promise.all(document.getAnimations()
  .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
  .map((each) => each.finished.catch(() => undefined))).then(() => undefined)`;

/** Rules whose findings would not be serious need not be asked; and nothing is played or loaded by these pages. */
const run = (only: readonly string[] | undefined) => `axe.run(document, {
  resultTypes: ['violations'],
  preload: false,
  ${
    only === undefined
      ? `rules: Object.fromEntries(axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => [id, { enabled: false }]))`
      : `runOnly: ${JSON.stringify(only)}`
  },
})`;

/** Returns the serious and critical findings of axe on a loaded page. `only` limits the rules. */
export async function seriousFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  await page.locator('.app-loader').first().waitFor({ state: 'hidden' });
  // Under the page's policy only the debugger may add a script.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  await page.evaluate(FADED_IN);
  const found = (await page.evaluate(run(only))) as { violations: Finding[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary ?? ''}`);
}
