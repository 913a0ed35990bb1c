/** CSV as RFC 4180 has it: rows of cells, quotes doubled, line ends of either kind. */
import { Refusal } from '../errors.ts';

/** Cells as text; an unquoted NULL is null, as PostgREST reads it. Blank lines are passed over. `before` counts earlier rows. */
export function parseCsv(text: string, before = 0): (string | null)[][] {
  return text.includes('"') ? parseQuotedCsv(text, before) : parsePlainCsv(text);
}

function parsePlainCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line !== '') rows.push(line.split(',').map(plainCell));
  }
  return rows;
}

function parseQuotedCsv(text: string, before: number): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let position = 0;
  let start = 0;
  for (;;) {
    row.push(readCell());
    const separator = text[position];
    if (separator === ',') {
      position++;
      continue;
    }
    if (position > start) rows.push(row);
    row = [];
    if (separator === undefined) return rows;
    position += separator === '\r' && text[position + 1] === '\n' ? 2 : 1;
    if (position >= text.length) return rows;
    start = position;
  }

  function readCell(): string | null {
    if (text[position] !== '"') {
      const from = position;
      while (position < text.length && text[position] !== ',' && text[position] !== '\n' && text[position] !== '\r')
        position++;
      return plainCell(text.slice(from, position));
    }
    let cell = '';
    for (;;) {
      const close = text.indexOf('"', position + 1);
      if (close === -1) throw malformed(before + rows.length + 1, 'a quote is not closed');
      cell += text.slice(position + 1, close);
      position = close + 1;
      if (text[position] !== '"') break;
      cell += '"';
    }
    const next = text[position];
    if (next !== undefined && next !== ',' && next !== '\n' && next !== '\r') {
      throw malformed(before + rows.length + 1, 'text follows a closing quote');
    }
    return cell;
  }
}

function plainCell(cell: string): string | null {
  return cell === 'NULL' ? null : cell;
}

function malformed(row: number, problem: string): Refusal {
  return new Refusal('PGRST102', `the CSV cannot be read: row ${row}: ${problem}`, {
    hint: 'Quote a cell that holds a comma, a quote or a line end, and double the quotes in it.',
  });
}
