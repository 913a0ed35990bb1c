/** The place in a list: its scroll position and its active cell come back with the list. */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { type Selection, START } from './selection.ts';

interface Place {
  readonly top: number;
  readonly left: number;
  readonly selection: Selection;
}

/** By the URL of the list. */
const places = new Map<string, Place>();

export const lastSelection = (url: string): Selection => places.get(url)?.selection ?? START;

/** Returns to the last place of a list, and remembers it when the list is left. */
export function usePlace(
  url: string,
  scroller: RefObject<HTMLElement | null>,
  selection: Selection,
  isShown: boolean,
): void {
  const latest = useRef(selection);
  latest.current = selection;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isShown || element === null) return;
    const { left = 0, top = 0 } = places.get(url) ?? {};
    element.scrollTo(left, top);
    return () => void places.set(url, { left: element.scrollLeft, top: element.scrollTop, selection: latest.current });
  }, [url, scroller, isShown]);
}
