/**
 * Reads a sheet of an .xlsx file, a ZIP archive of XML (ECMA-376). Its first row names the columns. It reads numbers,
 * dates, texts and results of formulas, and ignores styles. A cell over several rows is the value of each.
 */
import { strFromU8, unzipSync } from 'fflate';
import { t } from '../../i18n/text.ts';
import type { Sheet, SheetRow } from '../sheet.ts';
import { dateText, isDateFormat } from './dates.ts';

type Parts = Readonly<Record<string, Uint8Array>>;

/** Largest unpacked size. It stops ZIP bombs. */
const MAX_UNPACKED = 512 * 1024 * 1024;

/** Its message is a sentence for the person. */
class DamagedWorkbook extends Error {}

function unzip(bytes: Uint8Array): Parts {
  let size = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    size += originalSize;
    if (size > MAX_UNPACKED) throw new DamagedWorkbook(t.importing.workbookProblems.tooLarge);
    return /\.(xml|rels)$/.test(name);
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    // The archive has no directory, which is at its end.
    if ((error as Error).message === 'invalid zip data')
      throw new DamagedWorkbook(t.importing.workbookProblems.incomplete);
    throw error;
  }
}

/** Reads the sheet of this name, or else the first one that is not empty. */
export function readXlsx(name: string, bytes: Uint8Array, sheetName?: string): Sheet {
  try {
    return readParts(name, unzip(bytes), sheetName);
  } catch (error) {
    const problem = error instanceof DamagedWorkbook ? error.message : t.importing.workbookProblems.damaged;
    throw new Error(t.importing.badWorkbook(name, problem));
  }
}

function readParts(name: string, parts: Parts, sheetName: string | undefined): Sheet {
  if (parts['xl/workbook.xml'] === undefined) throw new DamagedWorkbook(t.importing.workbookProblems.otherFormat);
  const workbook = xmlOf(parts, 'xl/workbook.xml');
  const sheets = elements(workbook, 'sheet').filter((sheet) => sheet.getAttribute('state') !== 'hidden');
  const isSince1904 = /^(1|true)$/.test(elements(workbook, 'workbookPr')[0]?.getAttribute('date1904') ?? '');
  const cells = new CellReader(sharedStrings(parts), dateStyles(parts), isSince1904);
  const names = sheets.map((sheet) => sheet.getAttribute('name') ?? '');
  for (const [at, sheet] of sheets.entries()) {
    if (sheetName !== undefined && names[at] !== sheetName) continue;
    const rows = cells.rows(xmlOf(parts, pathOf(parts, sheet)));
    const head = rows.findIndex((row) => row.cells.some((cell) => cell !== undefined));
    if (head < 0) continue;
    const columns = rows[head]!.cells.map((cell) => (cell === undefined ? '' : String(cell).trim()));
    while (columns.at(-1) === '') columns.pop();
    return {
      name,
      sheets: names,
      sheetName: names[at]!,
      columns,
      rows: rows
        .slice(head + 1)
        .filter((row) => row.cells.some((cell) => cell !== undefined))
        .map((row) => ({ ...row, cells: columns.map((_name, column) => row.cells[column]) })),
      areTexts: true,
      separator: ',',
      notes: [],
    };
  }
  const { noSheet, emptySheet } = t.importing.workbookProblems;
  throw new DamagedWorkbook(sheets.length === 0 ? noSheet : emptySheet(sheetName ?? names[0]!));
}

/** Finds the file of a sheet by the relations of the workbook. */
function pathOf(parts: Parts, sheet: Element): string {
  const id = [...sheet.attributes].find(({ localName, prefix }) => localName === 'id' && prefix !== null)?.value;
  const relations = elements(xmlOf(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship');
  const target = relations.find((each) => each.getAttribute('Id') === id)?.getAttribute('Target');
  if (!target) throw new DamagedWorkbook(t.importing.workbookProblems.damaged);
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

  rows(sheet: Document): readonly SheetRow[] {
    const rows = elements(sheet, 'row').map((row, index) => this.row(row, index));
    for (const merged of elements(sheet, 'mergeCell')) {
      const [from, to = from] = (merged.getAttribute('ref') ?? '').split(':');
      const [column, first, last] = [columnOf(from!), lineOf(from!), lineOf(to!)];
      const value = rows.find(({ line }) => line === first)?.cells[column ?? -1];
      for (const { line, cells } of rows) if (line > first && line <= last) cells[column!] = value;
    }
    return rows;
  }

  private row(element: Element, index: number): SheetRow & { readonly cells: unknown[] } {
    const cells: unknown[] = [];
    for (const cell of elements(element, 'c')) {
      const column = columnOf(cell.getAttribute('r')) ?? cells.length;
      while (cells.length < column) cells.push(undefined);
      cells[column] = this.value(cell);
    }
    return { line: Number(element.getAttribute('r') ?? index + 1), cells };
  }

  private value(cell: Element): string | number | undefined {
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

  private number(text: string, style: number): string | number {
    const number = Number(text);
    if (this.isDate[style] === true) return dateText(number, this.isSince1904);
    // 0.1 + 0.2 is stored as 0.30000000000000004; Excel shows 15 digits.
    return /[.e]/i.test(text) ? Number(number.toPrecision(15)) : number;
  }
}

/** The column index of a cell reference: 2 for `C5`. */
function columnOf(reference: string | null): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** The line of a cell reference: 5 for `C5`. */
const lineOf = (reference: string): number => Number(reference.replace(/^[A-Z]+/, ''));

function xmlOf(parts: Parts, path: string): Document {
  const part = parts[path];
  if (part === undefined) throw new DamagedWorkbook(t.importing.workbookProblems.missingPart(path));
  const document = new DOMParser().parseFromString(strFromU8(part), 'application/xml');
  if (document.getElementsByTagName('parsererror').length > 0)
    throw new DamagedWorkbook(t.importing.workbookProblems.damagedPart(path));
  return document;
}

function elements(within: Document | Element, name: string): Element[] {
  return [...within.getElementsByTagNameNS('*', name)];
}
