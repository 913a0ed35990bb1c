/** The columns of a table of related rows, and the names of its rows. */
import { type Collection, type Field, type Row, titleFieldOf, titleOf } from '../api/catalogue.ts';
import { formatValue, kindOf } from '../fields/registry.ts';

const MAX_COLUMNS = 6;

/** The fields that identify a row, then the others in their declared order. json and long lists have no place here. */
export function columnsOf(from: Collection, reference: Field): readonly Field[] {
  const title = titleFieldOf(from);
  const isShown = (field: Field) =>
    field !== reference && field !== from.assigned && field.generated === undefined && !isUnwieldy(from, field);
  const isFirst = (field: Field) => field === title || from.key.includes(field);
  const shown = from.fields.filter(isShown);
  return [...shown.filter(isFirst), ...shown.filter((field) => !isFirst(field))].slice(0, MAX_COLUMNS);
}

const isUnwieldy = (collection: Collection, field: Field): boolean =>
  ['json', 'file'].includes(kindOf({ collection, field }).name);

/** A short name for a row beside the row that it refers to: `EUR`, not `Product 1, Currency EUR`. */
export function nameOf(from: Collection, reference: Field, row: Row): string {
  const rest = from.key.filter((field) => field !== reference);
  if (rest.length === 0 || rest.length === from.key.length) return titleOf(from, row);
  return rest.map((field) => formatValue({ collection: from, field }, row[field.name])).join(', ');
}
