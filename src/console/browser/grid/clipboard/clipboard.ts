/** Blocks of cells as text: tab-separated values and HTML tables, as spreadsheets exchange them. */

/** Nothing is pasted into an undefined cell. */
export type Block = readonly (readonly (string | undefined)[])[];

/** Parses tab-separated values. A cell with a tab, a quote or a line break is in quotes, which it doubles inside. */
export function parseTsv(text: string): Block {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /"((?:""|[^"])*)"(?=\t|\r?\n|\r|$)|([^\t\r\n]*)/y;
  for (let at = 0; at <= text.length; ) {
    cell.lastIndex = at;
    const [whole, inner, plain] = cell.exec(text)!;
    row.push(inner === undefined ? plain! : inner.replaceAll('""', '"'));
    at += whole.length;
    const end = /^(\t|\r\n|\n|\r)/.exec(text.slice(at, at + 2))?.[0];
    if (end !== '\t') {
      rows.push(row);
      row = [];
    }
    if (end === undefined) break;
    at += end.length;
    // A line break at the end does not begin another row.
    if (end !== '\t' && at === text.length) break;
  }
  return rectangular(rows);
}

/**
 * Parses the first table of an HTML text; undefined if it has none. A cell over several rows is the value of each. A
 * cell over several columns is the value of the first: the others have no cell.
 */
function parseHtmlTable(html: string): Block | undefined {
  const table = new DOMParser().parseFromString(withoutStyles(html), 'text/html').querySelector('table');
  if (table === null) return undefined;
  const rows: (string | undefined)[][] = [...table.rows].map(() => []);
  for (const [at, row] of [...table.rows].entries())
    for (const cell of row.cells) {
      let column = 0;
      while (column in rows[at]!) column += 1;
      const text = cellText(cell);
      for (const covered of rows.slice(at, at + cell.rowSpan))
        for (let next = 0; next < cell.colSpan; next++) covered[column + next] = next === 0 ? text : undefined;
    }
  return rectangular(rows.filter((row) => row.length > 0));
}

/** The policy of the page reports styles, although nothing applies them. */
function withoutStyles(html: string): string {
  const tags = html.replaceAll(/<style\b[\s\S]*?<\/style>/gi, '');
  return tags.replaceAll(/<[^<>]*>/g, (tag) => tag.replaceAll(/\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, ''));
}

/** A character for private use, which marks the line breaks of a cell. */
const BREAK = '\ue000';

function cellText(cell: Element): string {
  for (const element of cell.querySelectorAll('br, p + p')) element.before(BREAK);
  const lines = cell.textContent.replaceAll(/\s+/g, ' ').split(BREAK);
  return lines.map((line) => line.trim()).join('\n');
}

function rectangular(rows: Block): Block {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return rows.map((row) => Array.from({ length: width }, (_, column) => row[column]));
}

/** The cells of a paste; undefined for a picture. The table has the exact cells; plain text serves other programs. */
export function parseClipboard(text: string, html: string): Block | undefined {
  return (html === '' ? undefined : parseHtmlTable(html)) ?? (text === '' ? undefined : parseTsv(text));
}

export function printTsv(block: Block): string {
  const print = (cell = '') => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return block.map((row) => row.map(print).join('\t')).join('\n');
}

export function printHtmlTable(block: Block): string {
  const print = (cell = '') =>
    `<td>${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</td>`;
  return `<table>${block.map((row) => `<tr>${row.map(print).join('')}</tr>`).join('')}</table>`;
}

/** Repeats a block until it fills the selected cells, if they are a multiple of it, as spreadsheets do. */
export function tile(block: Block, rows: number, columns: number): Block {
  const [height, width] = [block.length, block[0]?.length ?? 0];
  if (height === 0 || width === 0) return block;
  const [high, wide] = [rows % height === 0 ? rows : height, columns % width === 0 ? columns : width];
  return Array.from({ length: Math.max(high, height) }, (_, row) =>
    Array.from({ length: Math.max(wide, width) }, (_each, column) => block[row % height]![column % width]),
  );
}
