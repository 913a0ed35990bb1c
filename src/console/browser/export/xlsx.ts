/** Writes a workbook with one sheet: numbers, dates and booleans as such, everything else as people read it. */
import { strToU8, Zip, ZipDeflate } from 'fflate';
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
import { type Collection, type Field, labelOf, type Row, titleOfCollection, type Value } from '../api/catalogue.ts';
import { kindOf } from '../fields/registry.ts';

type TextOf = (collection: Collection, field: Field, value: Value | undefined) => string;

export function xlsxOf(
  { collection, fields }: { readonly collection: Collection; readonly fields: readonly Field[] },
  textOf: TextOf,
) {
  const texts = [sheetStart(fields.map(labelOf))];
  return {
    add(row: Row) {
      texts.push(rowXml(fields.map((field) => cellOf(collection, field, row[field.name] ?? null, textOf))));
    },
    end: () => zipOf(titleOfCollection(collection), [...texts, SHEET_END]),
  };
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

function cellOf(collection: Collection, field: Field, value: Value, textOf: TextOf): string {
  const { name } = kindOf({ collection, field });
  if (name === 'number' && typeof value === 'number') return cellXml(value, 'number');
  if (typeof value === 'boolean') return cellXml(String(value), 'switch');
  if (name !== 'date' || value === null) return textCell(textOf(collection, field, value));
  // A point in time is written in the reader's time zone.
  const offsetMs = -new Date(String(value)).getTimezoneOffset() * 60_000;
  return cellXml(String(value), field.type.input, offsetMs);
}
