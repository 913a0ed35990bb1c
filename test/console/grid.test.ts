/** The cell grid of the console without a browser: selection by keys, and blocks of the clipboard. */
import { describe, expect, test } from 'bun:test';
import { parseTsv, printTsv, tile } from '../../src/console/browser/grid/clipboard/clipboard.ts';
import { cellCount, moveByKey, rangeOf, START, single } from '../../src/console/browser/grid/selection.ts';

const BOUNDS = { rows: 1_000_000, stored: 1_000_000, columns: 5, page: 20 };
const press = (from: readonly [number, number], key: string, held: { shift?: boolean; ctrl?: boolean } = {}) => {
  const event = { key, shiftKey: held.shift === true, ctrlKey: held.ctrl === true, metaKey: false };
  return moveByKey(single({ row: from[0], column: from[1] }), event, BOUNDS);
};

describe('keys', () => {
  test.each<[string, boolean, readonly [number, number], readonly [number, number]]>([
    ['ArrowDown', false, [3, 1], [4, 1]],
    ['ArrowUp', false, [0, 1], [0, 1]],
    ['ArrowRight', true, [3, 1], [3, 4]],
    ['ArrowDown', true, [3, 1], [999_999, 1]],
    ['Home', false, [3, 3], [3, 0]],
    ['End', true, [3, 1], [999_999, 4]],
    ['PageDown', false, [3, 1], [23, 1]],
    ['Enter', false, [3, 1], [4, 1]],
    ['Tab', false, [3, 1], [3, 2]],
  ])('%s (Ctrl: %p) moves from %p to %p', (key, ctrl, from, [row, column]) => {
    expect(press(from, key, { ctrl })).toEqual(single({ row, column }));
  });

  test('Shift keeps the anchor, and Tab leaves the grid at the end of a row', () => {
    const { anchor, active } = press([3, 1], 'ArrowDown', { shift: true })!;
    expect([anchor.row, active.row]).toEqual([3, 4]);
    expect(rangeOf({ anchor: active, active: anchor })).toEqual({ top: 3, bottom: 4, left: 1, right: 1 });
    expect(press([3, 4], 'Tab')).toBeUndefined();
    expect(press([3, 0], 'Tab', { shift: true })).toBeUndefined();
    expect(press([3, 0], 'x')).toBeUndefined();
    expect(cellCount(rangeOf(press([3, 0], 'a', { ctrl: true })!))).toBe(5_000_000);
    expect(START).toEqual(single({ row: 0, column: 0 }));
  });
});

describe('the clipboard', () => {
  test('cells with tabs, quotes and line breaks survive', () => {
    const block = [
      ['plain', 'two\nlines'],
      ['say "hi"', 'a\tb'],
      ['', '1,234.50'],
    ];
    expect(parseTsv(printTsv(block))).toEqual(block);
  });

  test('the text of Excel ends with a line break, and a quote within a cell is a plain character', () => {
    expect(parseTsv('18\r\n19.5\r\n')).toEqual([['18'], ['19.5']]);
    expect(parseTsv('12" pipe\t"3"" pipe"\n')).toEqual([['12" pipe', '3" pipe']]);
    expect(parseTsv('')).toEqual([['']]);
    expect(parseTsv('a\t\n\nb')).toEqual([
      ['a', ''],
      ['', undefined],
      ['b', undefined],
    ]);
  });

  test('one value fills the selection; a block that does not fit is pasted once', () => {
    expect(tile([['1']], 2, 2)).toEqual([
      ['1', '1'],
      ['1', '1'],
    ]);
    expect(tile([['1'], ['2']], 3, 1)).toEqual([['1'], ['2']]);
  });
});
