/**
 * Reads the first sheet of an .xlsx file, a ZIP archive of XML (ECMA-376). Its first row names the columns. It reads
 * numbers, dates, texts and results of formulas, and ignores styles.
 */
import { strFromU8, unzipSync } from 'fflate';
import { t } from '../../i18n/text.ts';
import type { Sheet, SheetRow } from '../sheet.ts';
import { dateText, isDateFormat } from './dates.ts';

type Parts = Readonly<Record<string, Uint8Array>>;

/** Largest unpacked size. It stops ZIP bombs. */
const MAX_UNPACKED = 512 * 1024 * 1024;

function unzip(bytes: Uint8Array): Parts {
  let size = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    size += originalSize;
    if (size > MAX_UNPACKED) throw new Error('it is too large');
    return /\.(xml|rels)$/.test(name);
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    // The archive has no directory, which is at its end.
    if ((error as Error).message === 'invalid zip data') throw new Error('it is incomplete');
    throw error;
  }
}

export function readXlsx(name: string, bytes: Uint8Array): Sheet {
  try {
    return readParts(name, unzip(bytes));
  } catch (error) {
    throw new Error(t.importing.badWorkbook(name, (error as Error).message));
  }
}

function readParts(name: string, parts: Parts): Sheet {
  if (parts['xl/workbook.xml'] === undefined) throw new Error('it is not an .xlsx file');
  const workbook = xmlOf(parts, 'xl/workbook.xml');
  const sheets = elements(workbook, 'sheet').filter((sheet) => sheet.getAttribute('state') !== 'hidden');
  const [first] = sheets;
  if (first === undefined) throw new Error('it has no sheet');
  const path = pathOf(parts, first);
  const isSince1904 = /^(1|true)$/.test(elements(workbook, 'workbookPr')[0]?.getAttribute('date1904') ?? '');
  const cells = new CellReader(sharedStrings(parts), dateStyles(parts), isSince1904);
  const rows = elements(xmlOf(parts, path), 'row').map((row, index) => cells.row(row, index));
  const at = rows.findIndex((row) => row.cells.some((cell) => cell !== undefined));
  const header = rows[at];
  if (header === undefined) throw new Error(`its first sheet, ${first.getAttribute('name')}, is empty`);
  const columns = header.cells.map((cell) => (cell === undefined ? '' : String(cell).trim()));
  while (columns.at(-1) === '') columns.pop();
  return {
    name,
    columns,
    rows: rows
      .slice(at + 1)
      .filter((row) => row.cells.some((cell) => cell !== undefined))
      .map((row) => ({ ...row, cells: columns.map((_name, column) => row.cells[column]) })),
    areTexts: true,
    separator: ',',
    notes: [t.importing.sheetRead(first.getAttribute('name') ?? '', sheets.length)],
  };
}

/** Finds the file of a sheet by the relations of the workbook. */
function pathOf(parts: Parts, sheet: Element): string {
  const id = [...sheet.attributes].find(({ localName, prefix }) => localName === 'id' && prefix !== null)?.value;
  const relations = elements(xmlOf(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship');
  const target = relations.find((each) => each.getAttribute('Id') === id)?.getAttribute('Target');
  if (!target) throw new Error('its first sheet is missing');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function sharedStrings(parts: Parts): readonly string[] {
  if (parts['xl/sharedStrings.xml'] === undefined) return [];
  return elements(xmlOf(parts, 'xl/sharedStrings.xml'), 'si').map(richText);
}

/** Joins the runs of a text. Pronunciation hints are not part of the text. */
function richText(element: Element): string {
  return elements(element, 't')
    .filter((text) => text.parentElement?.localName !== 'rPh')
    .map((text) => text.textContent ?? '')
    .join('')
    .replace(/_x([0-9A-F]{4})_/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Indexes of cell styles that show a number as a date. */
function dateStyles(parts: Parts): readonly boolean[] {
  if (parts['xl/styles.xml'] === undefined) return [];
  const styles = xmlOf(parts, 'xl/styles.xml');
  const codes = new Map(
    elements(styles, 'numFmt').map((each) => [
      Number(each.getAttribute('numFmtId')),
      each.getAttribute('formatCode') ?? '',
    ]),
  );
  const formats = elements(styles, 'cellXfs')[0];
  return (formats === undefined ? [] : elements(formats, 'xf')).map((each) => {
    const number = Number(each.getAttribute('numFmtId') ?? 0);
    return isDateFormat(number, codes.get(number));
  });
}

class CellReader {
  constructor(
    private readonly strings: readonly string[],
    private readonly isDate: readonly boolean[],
    private readonly isSince1904: boolean,
  ) {}

  row(element: Element, index: number): SheetRow {
    const cells: unknown[] = [];
    for (const cell of elements(element, 'c')) {
      const column = columnOf(cell.getAttribute('r')) ?? cells.length;
      while (cells.length < column) cells.push(undefined);
      cells[column] = this.value(cell);
    }
    return { line: Number(element.getAttribute('r') ?? index + 1), cells };
  }

  private value(cell: Element): string | undefined {
    const type = cell.getAttribute('t') ?? 'n';
    if (type === 'inlineStr') return richText(cell) || undefined;
    const text = elements(cell, 'v')[0]?.textContent ?? '';
    if (text === '') return undefined;
    switch (type) {
      case 's':
        return this.strings[Number(text)] || undefined;
      case 'b':
        return text === '1' ? 'true' : 'false';
      case 'n':
        return this.number(text, Number(cell.getAttribute('s') ?? 0));
      // The text result of a formula, an error such as #N/A, or an ISO date.
      default:
        return text;
    }
  }

  private number(text: string, style: number): string {
    const number = Number(text);
    if (this.isDate[style] === true) return dateText(number, this.isSince1904);
    // 0.1 + 0.2 is stored as 0.30000000000000004; Excel shows 15 digits.
    return /[.e]/i.test(text) ? String(Number(number.toPrecision(15))) : text;
  }
}

/** The column index of a cell reference: 2 for `C5`. */
function columnOf(reference: string | null): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function xmlOf(parts: Parts, path: string): Document {
  const part = parts[path];
  if (part === undefined) throw new Error(`it has no part ${path}`);
  const document = new DOMParser().parseFromString(strFromU8(part), 'application/xml');
  if (document.getElementsByTagName('parsererror').length > 0) throw new Error(`its part ${path} is damaged`);
  return document;
}

function elements(within: Document | Element, name: string): Element[] {
  return [...within.getElementsByTagNameNS('*', name)];
}
