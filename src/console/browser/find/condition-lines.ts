/** Conditions as typed into a form: filters as lines, and lines as filters. */
import { splitQuery } from '../../../base/net/query-string.ts';
import type { Collection } from '../api/catalogue.ts';
import { printName, readName } from '../api/query/filter-text.ts';
import { OR_EMPTY, type Pair, readFilter } from '../api/query/filters.ts';
import { t } from '../i18n/text.ts';
import { type ConditionParts, parseCondition, parseOperand, printCondition } from './conditions.ts';
import { describeCondition, parseGroup, printGroup } from './or-groups.ts';

/** A condition as typed. A name that is not a field is an expression: `or`, `and`, `not.or`, `not.and`. */
export interface Line extends ConditionParts {
  readonly id: number;
  /** Whether it belongs to the conditions before it, of which one is enough. */
  readonly isOr?: boolean;
  readonly name: string;
  readonly problem?: string;
}

let lastId = 0;

export const newLine = ({ fields }: Collection): Line => ({
  id: ++lastId,
  name: fields[0]!.name,
  isNegated: false,
  operator: 'eq',
  operand: '',
});

export function linesOf(collection: Collection, filters: readonly Pair[]): readonly Line[] {
  return filters.flatMap(([name, text]): readonly Line[] => {
    const group = name === 'or' ? parseGroup(collection, text) : undefined;
    if (group !== undefined) return linesOf(collection, group).map((line, at) => ({ ...line, isOr: at > 0 }));
    const isField = readFilter(collection, [name, '']) !== undefined;
    return [
      { id: ++lastId, name, ...(isField ? parseCondition(text) : { isNegated: false, operator: '', operand: text }) },
    ];
  });
}

/** The filters of the lines, or the lines with their problems. */
export function readLines(
  collection: Collection,
  typed: readonly Line[],
): { readonly filters: readonly Pair[] } | { readonly lines: readonly Line[] } {
  const fieldOf = (name: string) => readFilter(collection, [name, '']);
  const lines = typed.map((line): Line => {
    const field = fieldOf(line.name);
    if (field === undefined) return line;
    const parsed = parseOperand(field, line.operator, line.operand);
    return 'value' in parsed ? { ...line, operand: String(parsed.value) } : { ...line, problem: parsed.problem };
  });
  if (lines.some(({ problem }) => problem)) return { lines };
  const groups: Line[][] = [];
  for (const line of lines) {
    if (line.isOr && groups.length > 0) groups.at(-1)!.push(line);
    else groups.push([line]);
  }
  const printed = groups.map((group): Pair | undefined => {
    const pairs = group.map((line): Pair => [line.name, fieldOf(line.name) ? printCondition(line) : line.operand]);
    if (pairs.length === 1) return pairs[0];
    const text = printGroup(collection, pairs);
    return text === undefined ? undefined : ['or', text];
  });
  const at = printed.indexOf(undefined);
  if (at < 0) return { filters: printed as readonly Pair[] };
  return { lines: lines.map((line) => (groups[at]!.includes(line) ? { ...line, problem: t.find.notInGroup } : line)) };
}

/** The filters in the `where` of a rule, and back. */
export const readRule = (where: string): readonly Pair[] =>
  splitQuery(where).map(([name, condition]) => [readName(name), condition]);

export function printRule(collection: Collection, filters: readonly Pair[]): string {
  const encoded = (text: string) => text.replaceAll(/[%&+=]/g, encodeURIComponent);
  const printed = filters.map(([name, condition]) => {
    const filter = readFilter(collection, [name, '']);
    if (filter === undefined) return [name, condition] as const;
    const prefix = filter.via === undefined ? '' : `${printName(filter.via.name)}.`;
    const field = printName(filter.field.name);
    if (!condition.startsWith(OR_EMPTY)) return [`${prefix}${field}`, condition] as const;
    return [`${prefix}or`, `(${field}.is.null,${field}.${condition.slice(OR_EMPTY.length)})`] as const;
  });
  return printed.map(([name, condition]) => `${encoded(name)}=${encoded(condition)}`).join('&');
}

export const describeRule = (collection: Collection, where: string): string =>
  readRule(where)
    .map((pair) => describeCondition(collection, pair))
    .join(` ${t.find.and} `);
