/** Accessibility checks of a page with axe, for users of screen readers and keyboards and users with low vision. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A script that waits for all finite animations, because axe must judge the final colours. */
const FADED_IN = `Promise.all(document.getAnimations()
  .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
  .map((each) => each.finished.catch(() => undefined))).then(() => undefined)`;

/**
 * A script that runs axe. It disables rules without serious findings and media preloading, because the pages have no
 * media.
 */
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
  await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
  // The page's content security policy blocks scripts, so only the debugger can add axe.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  await page.evaluate(FADED_IN);
  const found = (await page.evaluate(run(only))) as { violations: Finding[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary ?? ''}`);
}
