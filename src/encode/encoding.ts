/**
 * Encodes rows as text. Pure functions: a large result is encoded in chunks where it is read, a small one at once. The
 * database returns a row as plain values by name, as JSON text, or as the text forms of its cells.
 */
import { PART_LENGTH } from '../base/limits/engine.ts';
import type { MediaHandler } from '../collection/draft.ts';
import { parseJson } from '../collection/exact-json.ts';
import type { Input } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { type CsvForm, csvHeader, csvLines } from './csv.ts';
import { SHEET_END, sheetRows, sheetStart } from './workbook.ts';

export interface Encoding extends CsvForm {
  readonly format: 'json' | 'csv' | 'ndjson' | 'geojson' | 'xlsx' | 'database';
  /** The kinds of the columns of a workbook. */
  readonly inputs?: readonly Input[];
  /** The aggregate that prints all rows. */
  readonly handler?: MediaHandler;
  /** The column with the geometry of a GeoJSON feature. The others are its properties. */
  readonly geometry?: string;
  readonly stripNulls: boolean;
  /** Returns the only row as an object instead of a list. JSON only. */
  readonly singular?: boolean;
  /** Each row is the bare value of its only column. JSON only. */
  readonly bare?: boolean;
  /** Column names in order. */
  readonly columns: readonly string[];
}

/** `number`: the row number of a cached row. `typed`: the values as they are in the database. */
export type RowForm = 'plain' | 'json' | 'text' | 'number' | 'typed';

/** The only column of a row that is JSON text or a row number. */
export const ROW = 'row';

/** The name of a CSV cell in the statement, since its own name may be any text. */
export function cellName(index: number): string {
  return `cell ${index}`;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Encodes a whole result. */
export function encodeRows(rows: readonly Row[], encoding: Encoding, form: RowForm): string {
  const { format, singular = false } = encoding;
  if (format === 'json' && form === 'plain' && !singular) return JSON.stringify(shownRows(rows, encoding));
  return opening(encoding) + encodeChunk(rows, encoding, form, true) + closing(encoding);
}

/** The text before the first row of a streamed result. */
export function opening(encoding: Encoding): string {
  const { format, singular = false, columns, bom } = encoding;
  if (format === 'json') return singular ? '' : '[';
  if (format === 'geojson') return '{"type": "FeatureCollection", "features": [';
  if (format === 'xlsx') return sheetStart(columns);
  if (format !== 'csv') return '';
  return `${bom === true ? BYTE_ORDER_MARK : ''}${csvHeader(columns, encoding)}`;
}

/** Encodes the rows of one chunk. */
export function encodeChunk(rows: readonly Row[], encoding: Encoding, form: RowForm, isFirst: boolean): string {
  if (rows.length === 0) return '';
  const { format, columns } = encoding;
  if (format === 'csv' || format === 'xlsx') {
    const cells = columns.map((_, index) => cellName(index));
    return format === 'csv' ? csvLines(rows, cells, encoding) : sheetRows(rows, cells, encoding.inputs ?? []);
  }
  if (format === 'ndjson') return `${rowTexts(rows, encoding, form).join('\n')}\n`;
  const comma = isFirst ? '' : ',';
  if (format === 'geojson') return `${comma}${rowTexts(rows, encoding, form).map(featureOf(encoding)).join(',')}`;
  if (form === 'plain') return `${comma}${JSON.stringify(shownRows(rows, encoding)).slice(1, -1)}`;
  return `${comma}${rowTexts(rows, encoding, form).join(',')}`;
}

export function closing({ format, singular = false }: Encoding): string {
  if (format === 'geojson') return ']}';
  if (format === 'xlsx') return SHEET_END;
  return format === 'json' && !singular ? ']' : '';
}

/** A row as a feature. Numbers beyond those of JavaScript keep their digits. */
function featureOf({ geometry = '' }: Encoding): (row: string) => string {
  return (row) => {
    const { [geometry]: shape = null, ...properties } = parseJson(row) as Record<string, object | null>;
    // RFC 7946, 4: coordinates have one reference system.
    const { crs: _, ...bare } = (shape ?? {}) as Record<string, unknown>;
    return JSON.stringify({ type: 'Feature', geometry: shape === null ? null : bare, properties });
  };
}

function rowTexts(rows: readonly Row[], encoding: Encoding, form: RowForm): string[] {
  if (form === 'json') return rows.map((row) => row[ROW] as string);
  return shownRows(rows, encoding).map((row) => JSON.stringify(row));
}

function shownRows(rows: readonly Row[], { stripNulls, columns }: Encoding): readonly Row[] {
  // A row without columns is an empty object, as in PostgreSQL.
  if (columns.length === 0) return rows.map(() => ({}));
  return stripNulls ? rows.map(withoutNulls) : rows;
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

const LONGEST_PART = 4 * PART_LENGTH;

/** The first chunk of a text, because unsent text stays in memory. It never splits a character. */
export function firstPart(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const isHalf = (text.charCodeAt(LONGEST_PART - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? LONGEST_PART - 1 : LONGEST_PART);
}
