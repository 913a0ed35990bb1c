/** The XML of a workbook with one sheet (ECMA-376): numbers, dates and booleans as such, everything else as text. */
import { ApiError } from '../base/errors.ts';
import { MAX_CELL_LENGTH, MAX_SHEET_ROWS } from '../base/limits/http.ts';
import type { Input } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
export const WORKBOOK_TYPE = `${TYPES}.sheet`;
const MS_PER_DAY = 86_400_000;
/** Styles of the workbook: text, date, and date with time. */
const DATE_STYLE = 1;
const TIME_STYLE = 2;
/** Excel has no days before. */
const FIRST_DAY = Date.UTC(1900, 2, 1);
const DAY_ZERO = Date.UTC(1899, 11, 30);
const MAX_SHEET_NAME = 31;
/** The digits of a number in a spreadsheet. */
const MAX_DIGITS = 15;

const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

export const SHEET_PATH = 'xl/worksheets/sheet1.xml';
const SHEET_START = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>`;
export const SHEET_END = '</sheetData></worksheet>';

/** The parts of a workbook beside its sheet, by path. */
export function workbookParts(name: string): Readonly<Record<string, string>> {
  const sheet = escapeXml(name.replace(/[\\/?*[\]:]/g, ' ').slice(0, MAX_SHEET_NAME));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = (...all: string[]) =>
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
  const override = (path: string, type: string) => `<Override PartName="/${path}" ContentType="${TYPES}.${type}+xml"/>`;
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${override('xl/workbook.xml', 'sheet.main')}${override(SHEET_PATH, 'worksheet')}${override('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      relation('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      relation('rId2', 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': `${HEAD}${STYLES}`,
  };
}

/** Throws for more rows than a sheet can have, beside its header. */
export function checkSheetRows(count: number): void {
  if (count <= MAX_SHEET_ROWS) return;
  throw new ApiError('54000', `a sheet has at most ${MAX_SHEET_ROWS} rows, and the list has ${count}`, {
    hint: 'Use text/csv, or several requests with limit and offset.',
  });
}

/** The sheet up to its first row: the names of the columns. */
export function sheetStart(columns: readonly string[]): string {
  return `${SHEET_START}${rowXml(columns.map(textCell))}`;
}

/** Rows of texts as CSV has them; `inputs` are the kinds of the columns. */
export function sheetRows(rows: readonly Row[], columns: readonly string[], inputs: readonly Input[]): string {
  return rows
    .map((row) => rowXml(columns.map((name, index) => cellXml(row[name] ?? null, inputs[index] ?? 'text'))))
    .join('');
}

export const rowXml = (cells: readonly string[]): string => `<row>${cells.join('')}</row>`;

/** A text is never a formula. */
export const textCell = (text: string): string =>
  text === ''
    ? '<c/>'
    : `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text.slice(0, MAX_CELL_LENGTH))}</t></is></c>`;

/** `offsetMs` is added to points in time. A value that a spreadsheet would change is a text. */
export function cellXml(value: Row[string], input: Input, offsetMs = 0): string {
  if (value === null) return '<c/>';
  const text = String(value);
  if (input === 'number' && isExact(text)) return `<c><v>${text}</v></c>`;
  if (input === 'switch') return `<c t="b"><v>${text.startsWith('t') ? 1 : 0}</v></c>`;
  const day = input === 'date' || input === 'datetime' ? dayNumber(text, offsetMs) : undefined;
  if (day !== undefined) return `<c s="${input === 'date' ? DATE_STYLE : TIME_STYLE}"><v>${day}</v></c>`;
  return textCell(text);
}

function isExact(text: string): boolean {
  const number = Number(text);
  const digits = text.replace(/e.*/i, '').replace(/^[-0.]+|[.]/g, '').length;
  return Number.isFinite(number) && (digits <= MAX_DIGITS || String(number) === text);
}

const DAY_AND_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d{1,3})?))?([+-]\d\d(?::?\d\d)?|Z)?$/;

/** The days since the end of 1899; undefined for dates that Excel does not know, and for microseconds. */
function dayNumber(text: string, offsetMs: number): number | undefined {
  const [, day, time = '00:00:00', zone] = DAY_AND_TIME.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}Z`) + (zone === undefined ? 0 : offsetMs);
  return Number.isNaN(at) || at < FIRST_DAY ? undefined : (at - DAY_ZERO) / MS_PER_DAY;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text. XML cannot contain some control characters, which Excel writes as `_x0007_`. */
function escapeXml(text: string): string {
  if (!/[&<>"_\0-\x1f\ufffe\uffff]/.test(text)) return text;
  return text
    .replace(/_x(?=[0-9A-F]{4}_)/gi, '_x005F_x')
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replace(
      /[\0-\x08\x0b-\x1f\ufffe\uffff]/g,
      (each) => `_x${each.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
    );
}
