/** Converts the cells of a file into field values, by the rules of the service. */

import type { Field } from '../../../collection/declaration.ts';
import { parseJson } from '../../../collection/exact-json.ts';
import { parseSpreadsheetCell } from '../../../collection/spreadsheet-values.ts';
import { compareValues } from '../../../collection/types/compare.ts';
import { storeJson } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { COMMA } from '../../../encode/csv-reader.ts';
import { coerce, readCell } from '../../../plan/coerce.ts';
import { isText, labelOf } from '../shared/api/collection.ts';
import { explainCell } from './explanations.ts';
import type { Sheet } from './sheet.ts';

export interface ParsedCell {
  /** The value as it is sent. */
  readonly json: unknown;
  /** A canonical text: equal for equal values, however they were written. */
  readonly same: string;
}

export class BadCell extends Error {}

const NOTHING: ParsedCell = { json: null, same: 'null' };

/** Reads a cell. Returns undefined if it is empty. */
export function enter(field: Field, cell: unknown, { areTexts, separator }: Sheet): ParsedCell | undefined {
  if (cell === undefined) return undefined;
  if (cell === null) return NOTHING;
  // If commas separate the cells, a comma cannot be a decimal point.
  const written = parseSpreadsheetCell(field, cell, { hasDecimalCommas: separator !== COMMA });
  if (written === '' && !isText(field)) return undefined;
  let value: Value;
  try {
    value = areTexts || typeof written === 'string' ? readText(field, written, areTexts) : coerce(field, written);
  } catch (error) {
    throw new BadCell(explainCell(field, cell, error));
  }
  const broken = brokenRule(field, value);
  if (broken !== undefined) throw new BadCell(`${labelOf(field)} ${broken}.`);
  return entered(field, value);
}

function readText(field: Field, written: unknown, areTexts: boolean): Value {
  return areTexts ? readCell(field, written) : coerce(field, written);
}

/** Converts a stored value, to compare it with a cell. */
export function stored(field: Field, json: unknown): ParsedCell {
  return json === null || json === undefined ? NOTHING : entered(field, storeJson(field.type, json));
}

function entered({ type }: Field, value: Value): ParsedCell {
  if (value === null) return NOTHING;
  const same = type.json(value);
  return { json: parseJson(same), same };
}

/**
 * Checks the rules of a field. Patterns are left to the service, since its regular expressions differ from the
 * browser's.
 */
function brokenRule({ type, rules: { minimum, maximum, maxLength, oneOf } }: Field, value: Value): string | undefined {
  if (value === null) return undefined;
  if (minimum !== undefined && minimum !== null && compareValues(type, value, minimum) < 0) {
    return `must be at least ${minimum}`;
  }
  if (maximum !== undefined && maximum !== null && compareValues(type, value, maximum) > 0) {
    return `must be at most ${maximum}`;
  }
  if (maxLength !== undefined && [...String(value)].length > maxLength)
    return `must have at most ${maxLength} characters`;
  if (oneOf !== undefined && !oneOf.includes(value)) return `must be one of ${oneOf.join(', ')}`;
  return undefined;
}
