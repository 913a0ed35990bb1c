/** The encoding of an answer's rows by media type, and results as one text. */

import { ApiError } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import { can } from '../collection/types/type.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { MaybePromise, ReadResult } from '../engine/engine.ts';
import { joinText } from '../engine/row-store.ts';
import type { Media } from '../http/negotiate.ts';
import type { OutputColumn } from '../plan/types.ts';
import type { RequestContext } from './request-context.ts';

/** An engine of the request is that of a role of the database, whose clients expect the forms of PostgREST. */
export function encodingOf(
  { format, handler, stripNulls, singular, bom, noFormulas, separator, decimalComma }: Media,
  columns: readonly OutputColumn[],
  { engine }: Partial<Pick<RequestContext, 'engine'>> = {},
): Encoding {
  const names = namesOf(columns);
  if (handler !== undefined) return { format, handler, stripNulls, columns: names };
  if (format === 'geojson') return { format, stripNulls, columns: names, geometry: geometryOf(columns) };
  if (format === 'csv') {
    const decimals = decimalComma && { decimalCommas: numericColumns(columns) };
    const isUnended = engine !== undefined;
    return { format, stripNulls, columns: names, bom, noFormulas, separator, ...decimals, isUnended };
  }
  if (format === 'xlsx') return { format, stripNulls, columns: names, inputs: inputsOf(columns) };
  return { format, stripNulls, singular, columns: names };
}

/** Requests with the same columns share their list. */
const namesOf = memoize((columns: readonly OutputColumn[]) => columns.map(({ name }) => name));

export function inputsOf(columns: readonly OutputColumn[]): NonNullable<Encoding['inputs']> {
  return columns.map(({ expression }) => expression.type.input);
}

/** For each column, whether it has numbers. */
export function numericColumns(columns: readonly OutputColumn[]): readonly boolean[] {
  return columns.map(({ expression }) => can(expression.type, 'number'));
}

/** The first geometry of PostGIS. A write that returns no rows needs none. */
function geometryOf(columns: readonly OutputColumn[]): string {
  if (columns.length === 0) return '';
  const column = columns.find(({ expression: { type } }) => /(^|[."])geo(metry|graphy)"?(\(|$)/.test(type.title));
  if (column !== undefined) return column.name;
  throw new ApiError('PGRST107', 'None of these media types are available: application/geo+json', {
    hint: 'Select a field of the type geometry or geography, or accept application/json or text/csv.',
  });
}

/** Joins a streamed result. For one row, whose size is limited. */
export function readWhole(result: ReadResult): MaybePromise<WholeResult> {
  const { body } = result;
  return typeof body === 'string'
    ? (result as WholeResult)
    : joinText(body).then((text) => ({ ...result, body: text }));
}

export interface WholeResult extends ReadResult {
  readonly body: string;
}
