/** The words of a screen reader: the focused element and live regions, from the accessibility tree of Chromium. */
import type { CDPSession, Page } from 'playwright-core';

interface AccessibleNode {
  readonly role?: { readonly value?: string };
  readonly name?: { readonly value?: string };
  readonly value?: { readonly value?: unknown };
  readonly description?: { readonly value?: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** Notes the texts that live regions get. */
const LISTEN = `if (!window.announced) {
  window.announced = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = (target.closest ? target : target.parentElement)?.closest('[role=status], [role=alert], [aria-live]');
      const text = region?.textContent.trim();
      if (text && announced.at(-1) !== text) announced.push(text);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}`;

const FOCUSED = `(() => {
  const active = document.activeElement;
  return document.getElementById(active.getAttribute('aria-activedescendant')) ?? active;
})()`;

/** The heading of the column of a cell. */
const COLUMN = `${FOCUSED}.closest('[role=grid]')?.querySelector(
  '[role=columnheader][aria-colindex="' + ${FOCUSED}.getAttribute('aria-colindex') + '"]')?.textContent.trim()`;

export interface ScreenReader {
  /** Its words about the focus now, and those of live regions since `forget`. */
  readonly say: () => Promise<string>;
  readonly forget: () => Promise<void>;
}

export async function screenReader(page: Page): Promise<ScreenReader> {
  const session = await page.context().newCDPSession(page);
  await page.evaluate(LISTEN);
  return {
    forget: () => page.evaluate(`${LISTEN} announced.length = 0`),
    async say() {
      const column = await page.evaluate<string | undefined>(COLUMN);
      const announced = await page.evaluate<string[]>('announced');
      const node = await focusedNode(session);
      // A focused message has no name: its text is read.
      const text = node.role?.value === 'status' ? await page.evaluate<string>(`${FOCUSED}.innerText`) : '';
      const focused = [describe(node), text.replaceAll('\n', ' ')].join(' ').trim();
      const said = announced.slice(-1).map((text) => `“${text}”`);
      return [...(column === undefined ? [] : [column]), focused, ...said].join(' · ');
    },
  };
}

async function focusedNode(session: CDPSession): Promise<AccessibleNode> {
  const { result } = await session.send('Runtime.evaluate', { expression: FOCUSED });
  const { objectId } = result;
  const { nodes } = await session.send('Accessibility.getPartialAXTree', {
    objectId: objectId!,
    fetchRelatives: false,
  });
  return nodes[0] as AccessibleNode;
}

/** States that a screen reader says, with its words. */
const STATES: Readonly<Record<string, (value: unknown) => string | false>> = {
  checked: (value) => (String(value) === 'true' ? 'checked' : 'not checked'),
  expanded: (value) => (value === true ? 'expanded' : 'collapsed'),
  invalid: (value) => value !== 'false' && 'invalid',
  required: (value) => value === true && 'required',
  readonly: (value) => value === true && 'read-only',
  disabled: (value) => value === true && 'disabled',
};

function describe({ role, name, value, description, properties = [] }: AccessibleNode): string {
  const states = properties.map((each) => STATES[each.name]?.(each.value.value));
  // A tooltip often repeats the name.
  const more = description?.value === name?.value ? undefined : description?.value;
  const parts = [`${role?.value} ${name?.value ?? ''}`.trim(), value?.value, more, ...states];
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join(', ');
}
