/**
 * Numbers as the reader writes them: 1,234.50 or 1.234,50. Written out here because the browser's own formatter takes as
 * long to wake up as all rows of a page take to draw; it is only asked where the language is none whose signs are known.
 */
interface Signs {
  readonly point: string;
  readonly group: string;
}

const ENGLISH: Signs = { point: '.', group: ',' };
const { point: POINT, group: GROUP } = signsOf(navigator.language);

function signsOf(language: string): Signs {
  if (/^en(-(US|GB|AU|CA|IE|NZ))?$/.test(language)) return ENGLISH;
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' } as object).formatToParts(-12345678.9);
  const sign = (type: string) => parts.find((part) => part.type === type)?.value;
  return { point: sign('decimal') ?? '.', group: sign('group') ?? '' };
}

/** With at least and at most so many digits behind the point. */
export function formatDecimal(value: number, least: number, most: number): string {
  const [whole = '', digits = ''] = Math.abs(value).toFixed(most).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(least, '0');
  const sign = value < 0 && /[1-9]/.test(whole + shown) ? '-' : '';
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, GROUP)}${shown === '' ? '' : `${POINT}${shown}`}`;
}

/** Whatever its number of digits, none is lost; what is no plain number (1e-7, NaN) stays as it is. */
export function formatDigits(text: string, least: number): string {
  const [, sign = '', whole = '', digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return text;
  const shown = digits.padEnd(least, '0');
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, GROUP)}${shown === '' ? '' : `${POINT}${shown}`}`;
}

export const formatNumber = (value: number): string => formatDecimal(value, 0, 0);
export const formatPrice = (value: number): string => formatDecimal(value, 2, 2);

/** `1 row`, `2,500 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** A number to edit: the reader's point, and nothing between the thousands. */
export const editableNumber = (digits: string): string => digits.replace('.', POINT);

/**
 * What a person typed, as the service writes it: `12,50` is 12.50 wherever one is, `1,234` is 1234 for those who write
 * thousands so and 1.234 for the others. Undefined where it is no number.
 */
export function readNumber(typed: string): string | undefined {
  const [, text = '', exponent = ''] = /^(.*?)(e[+-]?\d{1,3})?$/i.exec(withoutSpaces(typed)) ?? [];
  const marks = text.replace(/[^.,]/g, '');
  const last = marks.at(-1);
  const point = last === undefined ? '' : isPoint(text, marks, last) ? last : '';
  const [whole = '', digits] = point === '' ? [text] : splitLast(text, point);
  if (marks.length > 0 && !isGrouped(whole)) return undefined;
  const plain = `${whole.replace(/[.,]/g, '')}${digits === undefined ? '' : `.${digits}`}`;
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(plain);
  return isNumber ? plain.replace(/^\+/, '').replace(/\.$/, '') + exponent : undefined;
}

/** Thousands may be apart, and a minus may be a true one. */
function withoutSpaces(typed: string): string {
  return typed.replace(/[\s\u00a0\u202f'’]/g, '').replace(/^\u2212/, '-');
}

/** The last of two different marks is the point; a single one is what the reader's language says, if it can be that. */
function isPoint(text: string, marks: string, last: string): boolean {
  if (new Set(marks).size > 1) return marks.indexOf(last) === marks.length - 1;
  if (marks.length > 1) return false;
  return last === POINT || !/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text);
}

/** Without marks, or with one kind of them before every three digits. */
function isGrouped(whole: string): boolean {
  return /^[+-]?\d*$/.test(whole) || /^[+-]?\d{1,3}(,\d{3})+$|^[+-]?\d{1,3}(\.\d{3})+$/.test(whole);
}

function splitLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}
