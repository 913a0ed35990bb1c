/**
 * Numbers in the reader's format: 1,234.50 or 1.234,50. The browser's formatter takes as long to start as a page takes
 * to render, so it is only used for languages whose separators are unknown.
 */
import { type DecimalMark, readNumber } from '../../../import/numbers.ts';
import { language, locale } from './locale.ts';

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
export const formatDecimal = (value: number, least: number, most: number): string =>
  formatDigits(String(Number(value.toFixed(most))), least);

/** Formats digits without losing any. Other notations (1e-7, NaN) stay as they are. */
export function formatDigits(text: string, least: number): string {
  const [, sign = '', whole = '', digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return text;
  const shown = digits.padEnd(least, '0');
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, GROUP)}${shown === '' ? '' : `${POINT}${shown}`}`;
}

export const formatNumber = (value: number): string => formatDecimal(value, 0, 0);

let pluralRules: Intl.PluralRules | undefined;

/** The form of a text for a number. */
export function plural(count: number, one: string, other: string): string {
  pluralRules ??= new Intl.PluralRules(language);
  return pluralRules.select(count) === 'one' ? one : other;
}

/** The decimal mark of the reader's language. */
export const localMark = (): DecimalMark => (POINT === ',' ? 'comma' : 'point');

/** A typed number in the notation of the service; undefined if it is not a number. */
export const readTyped = (typed: string): string | undefined => readNumber(typed, localMark());

/** A number for an input: the reader's decimal point, no thousands separators. */
export const editableNumber = (digits: string): string => digits.replace('.', POINT);
