/** The fields of the quick filters, from the declaration: flags, groups, references, ranges and texts. */
import type { Field } from '../../../../collection/declaration.ts';
import { isUnique } from '../../../../collection/relations.ts';
import { collection, fields, isDecimal, isText, key, titleField } from '../api/collection.ts';
import { isCalculable } from './arithmetic.ts';
import { type Condition, conditionsFor } from './conditions.ts';
import { isReference, isYesNo } from './values.ts';

interface QuickFilter {
  readonly field: Field;
  readonly condition: Condition;
}

/** Quick filters per kind. */
const MOST = 3;
const MAX_RANGES = 2;

const isChoice = (field: Field) => field.role === 'group' || isReference(field) || field.rules.oneOf !== undefined;
const isMeasured = ({ role }: Field) => role === 'price' || role === 'stock';
const measured = fields.filter(isMeasured);
const ranges = measured.length > 0 ? measured : fields.filter((field) => isCalculable(field) && isDecimal(field));
const texts = fields.filter(
  (field) =>
    isText(field) &&
    field !== key &&
    field !== titleField &&
    !isChoice(field) &&
    (field.indexed || isUnique(collection, field)),
);

export const quickFilters: readonly QuickFilter[] = [
  ...fields
    .filter(isYesNo)
    .slice(0, MOST)
    .map((field) => ({ field, condition: conditionsFor(field)[0]! })),
  ...fields
    .filter((field) => isChoice(field) && !isYesNo(field))
    .slice(0, MOST)
    .map((field) => ({ field, condition: conditionsFor(field).find(({ operator }) => operator === 'eq')! })),
  ...ranges
    .slice(0, MAX_RANGES)
    .map((field) => ({ field, condition: conditionsFor(field).find(({ needs }) => needs === 'range')! })),
  ...texts.slice(0, 1).map((field) => ({ field, condition: conditionsFor(field)[0]! })),
];
