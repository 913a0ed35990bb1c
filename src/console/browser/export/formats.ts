/** The formats of an export. Each prints rows with labels, and with titles in place of the keys of references. */
import { printCsvRow } from '../../../declare/rows/csv.ts';
import { type Collection, type Field, isText, labelOf, type Row, type Value } from '../api/catalogue.ts';
import { formatValue, kindOf, printValue } from '../fields/registry.ts';
import { editableNumber } from '../i18n/numbers.ts';
import { BYTE_ORDER_MARK } from './save-file.ts';
import { xlsxOf } from './xlsx.ts';

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

/** The value for people: a title in place of a key. Other values are as the import reads them, without loss. */
export function textOf(collection: Collection, field: Field, value: Value | undefined): string {
  const place = { collection, field };
  const { name } = kindOf(place);
  if (name === 'date') return String(value ?? '');
  return name === 'reference' ? formatValue(place, value) : printValue(place, value);
}

/** A spreadsheet would run such a text as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** The separators of the language: a semicolon if the decimal point is a comma. */
function csvWriter({ collection, fields }: Columns): FileWriter {
  const separator = editableNumber('.') === ',' ? ';' : ',';
  const lines = [BYTE_ORDER_MARK + printCsvRow(fields.map(labelOf), separator)];
  return {
    add(row) {
      const cells = fields.map((field) => {
        const text = textOf(collection, field, row[field.name]);
        if (text === '') return row[field.name] === '' ? '' : undefined;
        return isText(field) && FORMULA.test(text) ? `'${text}` : text;
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

export function writerFor(format: Format, columns: Columns): FileWriter {
  if (format === 'json') return jsonWriter(columns);
  return format === 'csv' ? csvWriter(columns) : xlsxOf(columns, textOf);
}
