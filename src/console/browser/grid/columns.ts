/** The columns of a grid: the title first, then the other fields in declared order. */
import { type Collection, type Field, isNumeric, isYesNo, titleFieldOf } from '../api/catalogue.ts';
import { kindOf } from '../fields/registry.ts';

export interface Column {
  readonly field: Field;
  readonly width: number;
  readonly isFrozen: boolean;
}

export function defaultColumns(collection: Collection): readonly Column[] {
  const title = titleFieldOf(collection) ?? collection.key[0]!;
  const rest = collection.fields.filter((field) => field !== title);
  return [title, ...rest].map((field) => ({
    field,
    width: widthOf(collection, field, field === title),
    isFrozen: field === title,
  }));
}

function widthOf(collection: Collection, field: Field, isTitle: boolean): number {
  if (isTitle) return 260;
  if (collection.key.includes(field)) return 90;
  if (isYesNo(field)) return 110;
  if (kindOf({ collection, field }).name === 'reference') return 180;
  return isNumeric(field) ? 130 : 190;
}
