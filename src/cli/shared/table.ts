/** Prints rows as a table for a terminal: numbers right-aligned, no wider than the window. */
import { jsonText, WrittenNumber } from '../../collection/exact-json.ts';

/** Rows as parseJson returns them. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

const MIN_WIDTH = 8;

export function renderTable(columns: readonly string[], rows: Rows, window?: number): string {
  if (columns.length === 0) return '';
  const cells = rows.map((row) => columns.map((name) => cellText(row[name])));
  const widths = columns.map((name, index) => Math.max(...[name, ...cells.map((row) => row[index]!)].map(widthOf)));
  narrow(widths, window);
  const isNumeric = (value: unknown) => typeof value === 'number' || value instanceof WrittenNumber;
  const isNumber = columns.map((name) => rows.some((row) => isNumeric(row[name])));
  const line = (texts: readonly string[]) =>
    `${texts.map((text, index) => fit(text, widths[index]!, isNumber[index]!)).join('  ')}`.trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return `${[line(columns), rule, ...cells.map(line)].join('\n')}\n`;
}

/** Shrinks the widest column until all fit. */
function narrow(widths: number[], window: number | undefined): void {
  if (window === undefined) return;
  const total = () => widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1));
  while (total() > window && Math.max(...widths) > MIN_WIDTH) {
    widths[widths.indexOf(Math.max(...widths))]!--;
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? jsonText(value) : String(value);
  // Control characters could control the terminal.
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, '·');
}

function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

function fit(text: string, width: number, toRight: boolean): string {
  let shown = text;
  if (widthOf(text) > width) {
    shown = '';
    for (const letter of text) {
      if (widthOf(shown) + widthOf(letter) > width - 1) break;
      shown += letter;
    }
    shown += '…';
  }
  const padding = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return toRight ? padding + shown : shown + padding;
}
