/** A toolbar (WAI-ARIA), or a row of buttons: one tab stop, and arrow keys, Home and End between its items. */
import { type ComponentProps, type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { nextItem } from './menu.tsx';

const KEYS: Readonly<Record<string, string>> = {
  ArrowRight: 'ArrowDown',
  ArrowLeft: 'ArrowUp',
  Home: 'Home',
  End: 'End',
};

/** The items of the bar itself, without those in its menus and popovers. */
function itemsIn(bar: HTMLElement): readonly HTMLElement[] {
  return [...bar.querySelectorAll<HTMLElement>('a, button, summary, [type=checkbox]')].filter(
    (each) => each.closest('[popover], [role=dialog]') === null && each.checkVisibility(),
  );
}

export function Toolbar(props: Omit<ComponentProps<'div'>, 'ref'>) {
  const bar = useRef<HTMLDivElement>(null);
  /** Makes one item the tab stop: the chosen one, or else the one before or the first. */
  const setStop = (chosen?: Element | null) => {
    const items = itemsIn(bar.current!);
    const stop = items.find((each) => each === chosen) ?? items.find((each) => each.tabIndex === 0) ?? items[0];
    for (const each of items) each.tabIndex = each === stop ? 0 : -1;
  };
  // Its buttons come and go with the state of the page.
  useLayoutEffect(() => setStop(document.activeElement));
  const onKeyDown = (event: KeyboardEvent) => {
    const items = itemsIn(bar.current!);
    const at = items.indexOf(event.target as HTMLElement);
    const next = at < 0 ? undefined : nextItem(KEYS[event.key] ?? '', at, items);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return <div role="toolbar" {...props} ref={bar} onKeyDown={onKeyDown} onFocus={({ target }) => setStop(target)} />;
}
