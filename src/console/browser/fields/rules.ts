/** Converts text in the service's notation into a value, and checks the rules of the field before the request. */
import { type Field, isDecimal, isNumeric, isText, type Value } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { formatDigits, formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { Parsed } from './kind.ts';

export function parsePlain(field: Field, plain: string): Parsed {
  if (isNumeric(field) && !isDecimal(field) && /\.\d*[1-9]/.test(plain)) return { problem: t.errors.wholeNumbers };
  try {
    const value = stored(field, isNumeric(field) && !isDecimal(field) ? plain.replace(/\.0*$/, '') : plain);
    const problem = brokenRule(field, value);
    return problem === undefined ? { value } : { problem };
  } catch (error) {
    return { problem: explain(error) };
  }
}

/** The value as the service will return it: rounded, and as text if JavaScript would lose digits. */
function stored(field: Field, text: string): Value {
  const value = field.type.store(text);
  if (typeof value === 'boolean' || isText(field)) return value;
  if (!isNumeric(field)) return JSON.parse(field.type.json(value)) as Value;
  const printed = field.type.print(value);
  return String(Number(printed)) === printed ? Number(printed) : printed;
}

/** Patterns are left to the service. */
function brokenRule({ rules }: Field, value: Value): string | undefined {
  const { minimum, maximum, maxLength, oneOf } = rules;
  const number = typeof value === 'number' ? value : undefined;
  if (number !== undefined && typeof minimum === 'number' && number < minimum)
    return t.errors.atLeast(formatDigits(String(minimum), 0));
  if (number !== undefined && typeof maximum === 'number' && number > maximum)
    return t.errors.atMost(formatDigits(String(maximum), 0));
  if (maxLength !== undefined && [...String(value)].length > maxLength)
    return t.errors.maxLength(formatNumber(maxLength));
  if (oneOf !== undefined && !oneOf.some((each) => String(each) === String(value)))
    return t.errors.oneOf(oneOf.join(', '));
  return undefined;
}
