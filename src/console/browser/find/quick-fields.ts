/** The fields with a filter button, from the declaration: flags, choices and references, and ranges. */
import { type Collection, type Field, isDecimal, isYesNo } from '../api/catalogue.ts';
import { groupFields, isChoice } from '../api/query/list.ts';
import { kindOf } from '../fields/registry.ts';

const MOST = 3;
const MAX_RANGES = 2;

export function quickFields(collection: Collection): readonly Field[] {
  const { fields, key } = collection;
  const isNumber = (field: Field) => kindOf({ collection, field }).name === 'number' && !key.includes(field);
  const measured = fields.filter((field) => isNumber(field) && (field.role === 'price' || field.role === 'stock'));
  const ranges = measured.length > 0 ? measured : fields.filter((field) => isNumber(field) && isDecimal(field));
  const chosen = [
    ...groupFields(collection)
      .filter((field) => !isYesNo(field))
      .slice(0, MOST),
    ...fields.filter(isYesNo).slice(0, MOST),
    ...ranges.slice(0, MAX_RANGES),
  ];
  return fields.filter((field) => chosen.includes(field));
}

/** The fields whose values are counted beside a search: choices, switches and references. */
export const facetFields = (collection: Collection): readonly Field[] =>
  quickFields(collection).filter((field) => isChoice(collection, field));
