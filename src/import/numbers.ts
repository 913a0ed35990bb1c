/** Reads numbers as people write them: 1,234.50 and 1.234,50 €, also with spaces or apostrophes between thousands. */

export type DecimalMark = 'point' | 'comma';

/** A number of the service, except 1.299, which may mean 1299. */
const PLAIN = /^-?\d+(?:\.(?:\d{1,2}|\d{4,}))?$/;
/** One mark before three digits: 1.299 and 1,299 may be more than a thousand. */
const UNCLEAR = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Which decimal mark a cell shows for its column; undefined for a number without a mark, and for other texts. */
export function markOf(cell: string): DecimalMark | 'unclear' | undefined {
  if (PLAIN.test(cell)) return cell.includes('.') ? 'point' : undefined;
  const text = withoutSigns(cell);
  if (!/^[+-]?[\d.,]*\d$/.test(text)) return undefined;
  if (UNCLEAR.test(text)) return 'unclear';
  const marks = text.replace(/[^.,]/g, '');
  if (marks === '') return undefined;
  const isRepeated = marks.length > 1 && new Set(marks).size === 1;
  return (marks.at(-1) === '.') === isRepeated ? 'comma' : 'point';
}

/**
 * The number in the notation of the service; undefined if it is not a number. `12,50` is 12.50 whatever the mark.
 * `1,234` is 1234 or 1.234, depending on it.
 */
export function readNumber(typed: string, mark: DecimalMark): string | undefined {
  if (mark === 'point' && PLAIN.test(typed)) return typed;
  const [, text = '', exponent = ''] = /^(.*?)(e[+-]?\d{1,3})?$/i.exec(withoutSigns(typed)) ?? [];
  const marks = text.replace(/[^.,]/g, '');
  const last = marks.at(-1);
  const at = last !== undefined && isPoint(text, marks, mark) ? text.lastIndexOf(last) : text.length;
  const whole = text.slice(0, at);
  if (marks.length > 0 && !isGrouped(whole)) return undefined;
  const plain = `${whole.replace(/[.,]/g, '')}${at < text.length ? `.${text.slice(at + 1)}` : ''}`;
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(plain);
  return isNumber ? plain.replace(/^\+/, '').replace(/\.$/, '') + exponent : undefined;
}

/** Signs and codes of currencies at the start or the end. */
const SIGN = String.raw`(?:\p{Sc}|[A-Z]{1,2}\$|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|AUD|CAD|zł|Kč|Fr\.|kr\.?)`;
const CURRENCY = new RegExp(`^([+\\-\u2212]?)${SIGN}|${SIGN}$`, 'u');

/** Removes a currency and the spaces between thousands, and normalizes the minus sign. */
function withoutSigns(typed: string): string {
  const text = typed.replace(/[\s\u00a0\u202f'’]/g, '');
  return text.replace(CURRENCY, '$1').replace(/^\u2212/, '-');
}

/** Whether the last mark is the decimal mark: the last of two different ones. A single one depends on `mark`. */
function isPoint(text: string, marks: string, mark: DecimalMark): boolean {
  const last = marks.at(-1)!;
  if (new Set(marks).size > 1) return marks.indexOf(last) === marks.length - 1;
  if (marks.length > 1) return false;
  return (last === ',') === (mark === 'comma') || !UNCLEAR.test(text);
}

/** Whether the digits have no marks, or the same one before every three digits. */
function isGrouped(whole: string): boolean {
  return /^[+-]?\d*$/.test(whole) || /^[+-]?\d{1,3}(,\d{3})+$|^[+-]?\d{1,3}(\.\d{3})+$/.test(whole);
}
