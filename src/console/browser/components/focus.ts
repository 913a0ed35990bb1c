/** The focus after the element that has it leaves the page. */
import { type FocusEvent, useLayoutEffect, useRef } from 'react';

/** Moves a focus that is lost to an element that had it before, or else to the rows or the content of the page. */
export function restoreFocus(before?: HTMLElement | null): void {
  queueMicrotask(() => {
    const page = document.querySelector<HTMLElement>('main [role=grid]') ?? document.getElementById('content');
    for (const each of [before, page])
      if (document.activeElement === document.body) each?.focus({ preventScroll: true });
  });
}

/** The props of a part of the page that returns the focus when it closes. */
export function useFocusReturn() {
  const before = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => () => restoreFocus(before.current), []);
  return {
    onFocus({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget as HTMLElement | null;
    },
  };
}
