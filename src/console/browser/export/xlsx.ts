/** Writes a workbook with one sheet (ECMA-376): numbers, dates and booleans as such, everything else as text. */
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { type Collection, type Field, labelOf, type Row, titleOfCollection, type Value } from '../api/catalogue.ts';
import { kindOf } from '../fields/registry.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const MEDIA_TYPE = `${TYPES}.sheet`;
const MS_PER_DAY = 86_400_000;
/** Styles of the workbook: text, date, and date with time. */
const DATE_STYLE = 1;
const TIME_STYLE = 2;
/** Excel has no days before. */
const FIRST_DAY = Date.UTC(1900, 2, 1);
const DAY_ZERO = Date.UTC(1899, 11, 30);
const MAX_SHEET_NAME = 31;

const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

type TextOf = (collection: Collection, field: Field, value: Value | undefined) => string;

export function xlsxOf(
  { collection, fields }: { readonly collection: Collection; readonly fields: readonly Field[] },
  textOf: TextOf,
) {
  const rows = [rowXml(fields.map((field) => textCell(labelOf(field))))];
  return {
    add(row: Row) {
      rows.push(rowXml(fields.map((field) => cellXml(collection, field, row[field.name] ?? null, textOf))));
    },
    end: () => zipOf(partsOf(titleOfCollection(collection), rows)),
  };
}

function partsOf(name: string, rows: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const sheet = escapeXml(name.replace(/[\\/?*[\]:]/g, ' ').slice(0, MAX_SHEET_NAME));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const override = (path: string, type: string) => `<Override PartName="${path}" ContentType="${TYPES}.${type}+xml"/>`;
  return {
    '[Content_Types].xml': [
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
      override('/xl/workbook.xml', 'sheet.main'),
      override('/xl/worksheets/sheet1.xml', 'worksheet'),
      override('/xl/styles.xml', 'styles'),
      '</Types>',
    ],
    '_rels/.rels': [
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    'xl/workbook.xml': [
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    'xl/_rels/workbook.xml.rels': [
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId2', 'styles', 'styles.xml')}</Relationships>`,
    ],
    'xl/styles.xml': [`${HEAD}${STYLES}`],
    'xl/worksheets/sheet1.xml': [
      `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>`,
      ...rows,
      '</sheetData></worksheet>',
    ],
  };
}

/** Texts that are compressed at once. Between them, the page stays usable. */
const TEXTS_PER_STEP = 1_000;

async function zipOf(files: Readonly<Record<string, readonly string[]>>): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((_error, chunk) => void chunks.push(chunk as Uint8Array<ArrayBuffer>));
  for (const [path, texts] of Object.entries(files)) {
    const file = new ZipDeflate(path);
    zip.add(file);
    for (let start = 0; start < texts.length; start += TEXTS_PER_STEP) {
      const end = start + TEXTS_PER_STEP;
      file.push(strToU8(texts.slice(start, end).join('')), end >= texts.length);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  zip.end();
  return new Blob(chunks, { type: MEDIA_TYPE });
}

const rowXml = (cells: readonly string[]): string => `<row>${cells.join('')}</row>`;
const textCell = (text: string): string =>
  text === '' ? '<c/>' : `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`;

function cellXml(collection: Collection, field: Field, value: Value, textOf: TextOf): string {
  const { name } = kindOf({ collection, field });
  if (name === 'number' && typeof value === 'number' && Number.isFinite(value)) return `<c><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  const day = name === 'date' && value !== null ? dayNumber(field, String(value)) : undefined;
  if (day !== undefined) return `<c s="${field.type.input === 'date' ? DATE_STYLE : TIME_STYLE}"><v>${day}</v></c>`;
  return textCell(textOf(collection, field, value));
}

/**
 * The days since the end of 1899. Undefined for times without a day, dates that Excel does not know, and times with
 * microseconds, which Excel would lose: an import of the file would then change them.
 */
function dayNumber({ type }: Field, text: string): number | undefined {
  if (type.input === 'time' || !/^\d{4}-\d\d-\d\d/.test(text) || /\.\d{4}/.test(text)) return undefined;
  const isLocal = /([+-]\d\d(:?\d\d)?|Z)$/.test(text.slice(10));
  const date = new Date(type.input === 'date' || isLocal ? text : `${text}Z`);
  // A point in time is written in the reader's time zone.
  const time = date.getTime() - (isLocal ? date.getTimezoneOffset() * 60_000 : 0);
  return Number.isNaN(time) || time < FIRST_DAY ? undefined : (time - DAY_ZERO) / MS_PER_DAY;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text. XML cannot contain some control characters, which Excel writes as `_x0007_`. */
function escapeXml(text: string): string {
  return text
    .replace(/_x(?=[0-9A-F]{4}_)/gi, '_x005F_x')
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replace(
      /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g,
      (each) => `_x${each.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
    );
}
