/** The formats of an export. Each prints rows with labels, and with titles in place of the keys of references. */
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { fileKind } from '../../../collection/types/file.ts';
import { printCsvRow } from '../../../declare/rows/csv.ts';
import { harmless } from '../../../encode/csv.ts';
import {
  cellXml,
  rowXml,
  SHEET_END,
  SHEET_PATH,
  sheetStart,
  textCell,
  WORKBOOK_TYPE,
  workbookParts,
} from '../../../encode/workbook.ts';
import {
  type Collection,
  type Field,
  isText,
  labelOf,
  type Row,
  titleOfCollection,
  translatedBy,
  type Value,
} from '../api/catalogue.ts';
import { fileIds } from '../fields/file.tsx';
import { formatValue, kindOf, printValue } from '../fields/registry.ts';
import { fileAddress } from '../files/stored-files.tsx';
import { editableNumber } from '../i18n/numbers.ts';
import { BYTE_ORDER_MARK } from './save-file.ts';

export interface Columns {
  readonly collection: Collection;
  readonly fields: readonly Field[];
}

export type Format = 'xlsx' | 'csv' | 'json';

/** Collects printed rows, and makes a file of them. */
export interface FileWriter {
  readonly add: (row: Row) => void;
  readonly end: () => Promise<Blob>;
}

/**
 * The value for people: a title in place of a key, and the addresses of files. Other values are as the import reads
 * them, without loss.
 */
export function textOf(collection: Collection, field: Field, value: Value | undefined): string {
  const place = { collection, field };
  const { name } = kindOf(place);
  if (name === 'date') return String(value ?? '');
  if (fileKind(field.type) !== undefined) return fileIds(value).map(fileAddress).join(', ');
  return name === 'reference' ? formatValue(place, value) : printValue(place, value);
}

/** The head of a column. That of a translation is the name of its field as well, whatever the reader's language. */
function headOf(collection: Collection, field: Field): string {
  const translated = translatedBy(collection, field);
  return translated === undefined ? labelOf(field) : `${labelOf(translated.of)} (${translated.language})`;
}

const heads = ({ collection, fields }: Columns) => fields.map((field) => headOf(collection, field));

/** The separators of the language: a semicolon if the decimal point is a comma. */
function csvWriter({ collection, fields }: Columns): FileWriter {
  const separator = editableNumber('.') === ',' ? ';' : ',';
  const lines = [BYTE_ORDER_MARK + printCsvRow(heads({ collection, fields }), separator)];
  return {
    add(row) {
      const cells = fields.map((field) => {
        const text = textOf(collection, field, row[field.name]);
        if (text === '') return row[field.name] === '' ? '' : undefined;
        return isText(field) ? harmless(text) : text;
      });
      lines.push(printCsvRow(cells, separator));
    },
    end: async () => new Blob([lines.join('\r\n'), '\r\n'], { type: 'text/csv;charset=utf-8' }),
  };
}

function jsonWriter({ collection, fields }: Columns): FileWriter {
  const objects: string[] = [];
  return {
    add(row) {
      const pairs = fields.map((field) => {
        const value = row[field.name] ?? null;
        const isTitle = value !== null && kindOf({ collection, field }).name === 'reference';
        return [field.name, isTitle ? textOf(collection, field, value) : value];
      });
      objects.push(JSON.stringify(Object.fromEntries(pairs)));
    },
    end: async () => new Blob(['[', objects.join(',\n'), ']\n'], { type: 'application/json' }),
  };
}

/** A workbook with one sheet: numbers, dates and booleans as such, everything else as people read it. */
function xlsxWriter({ collection, fields }: Columns): FileWriter {
  const texts = [sheetStart(heads({ collection, fields }))];
  return {
    add: (row) => void texts.push(rowXml(fields.map((field) => cellOf(collection, field, row[field.name] ?? null)))),
    end: () => zipOf(titleOfCollection(collection), [...texts, SHEET_END]),
  };
}

function cellOf(collection: Collection, field: Field, value: Value): string {
  const { name } = kindOf({ collection, field });
  if (name === 'number' && typeof value === 'number') return cellXml(value, 'number');
  if (typeof value === 'boolean') return cellXml(String(value), 'switch');
  if (name !== 'date' || value === null) return textCell(textOf(collection, field, value));
  // A point in time is written in the reader's time zone.
  const offsetMs = -new Date(String(value)).getTimezoneOffset() * 60_000;
  return cellXml(String(value), field.type.input, offsetMs);
}

/** Texts that are compressed at once. Between them, the page stays usable. */
const TEXTS_PER_STEP = 1_000;

async function zipOf(name: string, sheet: readonly string[]): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((_error, chunk) => void chunks.push(chunk as Uint8Array<ArrayBuffer>));
  const parts = Object.entries(workbookParts(name)).map(([path, text]) => [path, [text]] as const);
  for (const [path, texts] of [...parts, [SHEET_PATH, sheet] as const]) {
    const file = new ZipDeflate(path);
    zip.add(file);
    for (let start = 0; start < texts.length; start += TEXTS_PER_STEP) {
      const end = start + TEXTS_PER_STEP;
      file.push(strToU8(texts.slice(start, end).join('')), end >= texts.length);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  zip.end();
  return new Blob(chunks, { type: WORKBOOK_TYPE });
}

export function writerFor(format: Format, columns: Columns): FileWriter {
  if (format === 'json') return jsonWriter(columns);
  return format === 'csv' ? csvWriter(columns) : xlsxWriter(columns);
}
