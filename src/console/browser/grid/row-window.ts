/**
 * The visible rows of a long list. Browsers limit the height of an element, so a list that is higher scrolls in larger
 * steps: the scroll position maps to a row, and the rows are placed around the position.
 */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Below the limit of every browser (Firefox: 17.8 million pixels). */
export const MAX_HEIGHT = 8_000_000;
/** Rows outside of the visible part, so that scrolling shows no gap. */
const OVERSCAN = 8;
/** Positions are relative to every thousandth row: large numbers of pixels are not exact. */
const STEP = 1_000;

interface Measures {
  readonly scrollTop: number;
  /** The visible height of the rows. */
  readonly viewport: number;
  readonly total: number;
  readonly rowHeight: number;
  /** The first row of each group, in ascending order. A head of the same height precedes it. */
  readonly starts?: readonly number[];
}

/** The number of group heads before a row or at it. */
function headsBefore(starts: readonly number[], row: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The line of a row among rows and heads. */
export const lineOf = (row: number, starts: readonly number[] = []): number => row + headsBefore(starts, row);

/** The row at a line; for a head, the first row of its group. */
export function rowAtLine(line: number, starts: readonly number[] = []): number {
  // The head of group k is at line `starts[k] + k`.
  const heads = headsBefore(
    starts.map((start, at) => start + at),
    line,
  );
  return Math.max(line - heads, starts[heads - 1] ?? 0);
}

export interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** The height of the element that contains all rows. */
  readonly height: number;
  /** The position of the rows within that element. */
  readonly offset: number;
  /** The position of a row among the rows. It stays the same while the list scrolls, so rows do not render again. */
  readonly topOf: (index: number) => number;
}

/** Pixels of the list per pixel of the scroll bar; 1 unless the list is too high. */
function scaleOf(measures: Omit<Measures, 'scrollTop'>): number {
  const { viewport } = measures;
  const full = fullHeight(measures);
  return full <= MAX_HEIGHT ? 1 : (full - viewport) / (MAX_HEIGHT - viewport);
}

function fullHeight({ total, rowHeight, starts = [] }: Pick<Measures, 'total' | 'rowHeight' | 'starts'>): number {
  return (total + starts.length) * rowHeight;
}

export function windowAt(measures: Measures): RowWindow {
  const { scrollTop, viewport, total, rowHeight, starts } = measures;
  const position = scrollTop * scaleOf(measures);
  const line = Math.max(0, Math.floor(position / rowHeight) - OVERSCAN);
  const base = line - (line % STEP);
  const endLine = Math.ceil((position + viewport) / rowHeight) + OVERSCAN;
  return {
    first: Math.max(0, Math.min(rowAtLine(line, starts), total - 1)),
    last: Math.min(total - 1, rowAtLine(endLine, starts)),
    height: Math.min(fullHeight(measures), MAX_HEIGHT),
    offset: base * rowHeight - position + scrollTop,
    topOf: (index) => (lineOf(index, starts) - base) * rowHeight,
  };
}

/** The scroll position that shows a row completely; undefined if it is visible already. */
export function scrollTopFor(index: number, measures: Measures): number | undefined {
  const { scrollTop, viewport, rowHeight, starts } = measures;
  const scale = scaleOf(measures);
  const top = lineOf(index, starts) * rowHeight;
  const position = scrollTop * scale;
  if (top < position) return top / scale;
  if (top + rowHeight <= position + viewport) return undefined;
  const end = Math.min(fullHeight(measures), MAX_HEIGHT) - viewport;
  return Math.min(Math.ceil((top + rowHeight - viewport) / scale), end);
}

/** Follows the scroll position and the size of an element, below a head of this height. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  { total, rowHeight, starts = [] }: Pick<Measures, 'total' | 'rowHeight' | 'starts'>,
  head: number,
) {
  const [{ scrollTop, viewport }, setPlace] = useState({ scrollTop: 0, viewport: 800 });
  const isShown = total > 0;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isShown || element === null) return;
    const measure = () => setPlace({ scrollTop: element.scrollTop, viewport: element.clientHeight - head });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [scroller, head, isShown]);
  const measures = { scrollTop, viewport, total, rowHeight, starts };
  return {
    ...windowAt(measures),
    page: Math.max(1, Math.floor(viewport / rowHeight) - 1),
    scrollToRow(index: number) {
      const element = scroller.current;
      if (element === null) return;
      const top = scrollTopFor(index, { ...measures, scrollTop: element.scrollTop });
      if (top !== undefined) element.scrollTop = top;
    },
  };
}
