/**
 * Numbers in the reader's format: 1,234.50 or 1.234,50. The browser's formatter takes as long to start as a page takes
 * to render, so it is only used for languages whose separators are unknown.
 */
import { locale } from '../i18n/locale.ts';

interface Signs {
  readonly point: string;
  readonly group: string;
}

const ENGLISH: Signs = { point: '.', group: ',' };
let { point: POINT, group: GROUP } = signsOf(locale);

/** Changes the format of numbers, for tests. */
export function setNumberLocale(language: string): void {
  ({ point: POINT, group: GROUP } = signsOf(language));
}

function signsOf(language: string): Signs {
  if (/^en(-(US|GB|AU|CA|IE|NZ))?$/.test(language)) return ENGLISH;
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' } as object).formatToParts(-12345678.9);
  const sign = (type: string) => parts.find((part) => part.type === type)?.value;
  return { point: sign('decimal') ?? '.', group: sign('group') ?? '' };
}

/** Formats a number with this range of decimal places. */
export function formatDecimal(value: number, least: number, most: number): string {
  const [whole = '', digits = ''] = Math.abs(value).toFixed(most).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(least, '0');
  const sign = value < 0 && /[1-9]/.test(whole + shown) ? '-' : '';
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, GROUP)}${shown === '' ? '' : `${POINT}${shown}`}`;
}

/** Formats digits without losing any. Other notations (1e-7, NaN) stay as they are. */
export function formatDigits(text: string, least: number): string {
  const [, sign = '', whole = '', digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return text;
  const shown = digits.padEnd(least, '0');
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, GROUP)}${shown === '' ? '' : `${POINT}${shown}`}`;
}

export const formatNumber = (value: number): string => formatDecimal(value, 0, 0);

/** `1 row`, `2,500 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** A number for an input: the reader's decimal point, no thousands separators. */
export const editableNumber = (digits: string): string => digits.replace('.', POINT);

/**
 * Parses a typed number into the service's notation. `12,50` is 12.50 in every language. `1,234` is 1234 or 1.234,
 * depending on the language, or on `decimalPoint`. Returns undefined if it is not a number.
 */
export function readNumber(typed: string, decimalPoint = POINT): string | undefined {
  const [, text = '', exponent = ''] = /^(.*?)(e[+-]?\d{1,3})?$/i.exec(withoutSpaces(typed)) ?? [];
  const marks = text.replace(/[^.,]/g, '');
  const last = marks.at(-1);
  const point = last === undefined ? '' : isPoint(text, marks, last, decimalPoint) ? last : '';
  const [whole = '', digits] = point === '' ? [text] : splitLast(text, point);
  if (marks.length > 0 && !isGrouped(whole)) return undefined;
  const plain = `${whole.replace(/[.,]/g, '')}${digits === undefined ? '' : `.${digits}`}`;
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(plain);
  return isNumber ? plain.replace(/^\+/, '').replace(/\.$/, '') + exponent : undefined;
}

/** Removes spaces between thousands and normalizes the minus sign. */
function withoutSpaces(typed: string): string {
  return typed.replace(/[\s\u00a0\u202f'’]/g, '').replace(/^\u2212/, '-');
}

/**
 * Chooses the decimal point: the last of two different separators. A single separator has the meaning of the reader's
 * language, if possible.
 */
function isPoint(text: string, marks: string, last: string, decimalPoint: string): boolean {
  if (new Set(marks).size > 1) return marks.indexOf(last) === marks.length - 1;
  if (marks.length > 1) return false;
  return last === decimalPoint || !/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text);
}

/** Whether the digits have no separators, or the same one before every three digits. */
function isGrouped(whole: string): boolean {
  return /^[+-]?\d*$/.test(whole) || /^[+-]?\d{1,3}(,\d{3})+$|^[+-]?\d{1,3}(\.\d{3})+$/.test(whole);
}

function splitLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}
