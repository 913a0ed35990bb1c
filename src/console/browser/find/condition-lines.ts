/** Conditions as typed into a form: filters as lines, and lines as filters. */
import { splitQuery } from '../../../base/net/query-string.ts';
import type { Collection } from '../api/catalogue.ts';
import { OR_EMPTY, type Pair, readFilter } from '../api/query/filters.ts';
import { printName, readName } from '../api/query/text.ts';
import { isSame } from '../base/same.ts';
import { t } from '../i18n/text.ts';
import { type ConditionParts, parseCondition, parseOperand, printCondition, printOperand } from './conditions.ts';
import { describeCondition, parseGroup, printGroup } from './or-groups.ts';

/** A condition as typed. A name that is not a field is an expression: `or`, `and`, `not.or`, `not.and`. */
export interface Line extends ConditionParts {
  readonly id: number;
  /** Whether it belongs to the conditions before it, of which one is enough. */
  readonly isOr?: boolean;
  readonly name: string;
  /** The operand and the group as they are stored. They stay so unless they are edited. */
  readonly stored?: string | undefined;
  readonly group?: string;
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
    if (group !== undefined)
      return linesOf(collection, group).map((line, at) => ({ ...line, isOr: at > 0, group: text }));
    const field = readFilter(collection, name);
    const parts = parseCondition(text);
    if (field === undefined || parts.operator === '')
      return [{ id: ++lastId, name, isNegated: false, operator: '', operand: text, stored: text }];
    const operand = printOperand(field, parts.operator, parts.operand);
    return [{ id: ++lastId, name, ...parts, operand, stored: parts.operand }];
  });
}

/** Without a line. If it began a group, the next line begins it. */
export function withoutLine(lines: readonly Line[], { id, isOr }: Line): readonly Line[] {
  const next = lines.findIndex((line) => line.id === id) + 1;
  const rest = lines.map((line, at) => (at === next && !isOr ? { ...line, isOr: false } : line));
  return rest.filter((line) => line.id !== id);
}

/** The filter of a line, or its problem. */
function readLine(collection: Collection, line: Line): Pair | string {
  const { name, isNegated, operator, operand, stored } = line;
  const field = readFilter(collection, name);
  if (field === undefined || operator === '') return [name, operand];
  if (isNegated && `${operator}.` === OR_EMPTY) return t.find.notWithEmpty;
  const isStored = stored !== undefined && operand === printOperand(field, operator, stored);
  const parsed = isStored ? { value: stored } : parseOperand(field, operator, operand);
  return 'value' in parsed ? [name, printCondition({ ...line, operand: String(parsed.value) })] : parsed.problem;
}

/** The filters of the lines, unless some have a problem. */
export function readLines(collection: Collection, lines: readonly Line[]) {
  const problems = new Map<Line, string>();
  const groups: { readonly stored: string | undefined; readonly lines: Line[]; readonly pairs: Pair[] }[] = [];
  for (const line of lines) {
    const pair = readLine(collection, line);
    if (!line.isOr || groups.length === 0) groups.push({ stored: line.group, lines: [], pairs: [] });
    groups.at(-1)!.lines.push(line);
    if (typeof pair === 'string') problems.set(line, pair);
    else groups.at(-1)!.pairs.push(pair);
  }
  const filters = groups.map(({ stored, lines: own, pairs }): Pair => {
    if (own.length === 1) return pairs[0]!;
    const isStored = stored !== undefined && isSame(parseGroup(collection, stored), pairs);
    const text = isStored ? stored : printGroup(collection, pairs);
    for (const line of text === undefined ? own : []) if (!problems.has(line)) problems.set(line, t.find.notInGroup);
    return ['or', text ?? ''];
  });
  return { filters: problems.size === 0 ? filters : undefined, problems };
}

/** The filters in the `where` of a rule, and back. */
export const readRule = (collection: Collection, where: string): readonly Pair[] =>
  splitQuery(where).map(([name, condition]) => [filterName(collection, readName(name)), condition]);

export function printRule(collection: Collection, filters: readonly Pair[]): string {
  const encoded = (text: string) => text.replaceAll(/[%&+=]/g, encodeURIComponent);
  const printed = filters.map(([name, condition]) => {
    const filter = readFilter(collection, name);
    if (filter === undefined) return [name, condition] as const;
    const prefix = filter.via === undefined ? '' : `${printName(filter.via.name)}.`;
    const field = printName(filter.field.name);
    if (!condition.startsWith(OR_EMPTY)) return [`${prefix}${field}`, condition] as const;
    return [`${prefix}or`, `(${field}.is.null,${field}.${condition.slice(OR_EMPTY.length)})`] as const;
  });
  return printed.map(([name, condition]) => `${encoded(name)}=${encoded(condition)}`).join('&');
}

/** The name of a filter in a rule, which may name a reference by its collection: `products.status`. */
function filterName({ name: own, references, byName }: Collection, name: string): string {
  const [, to = '', field] = /^([^."]+)\.([^.]+)$/.exec(name) ?? [];
  const [reference, ...others] = references.filter((each) => each.to === to);
  const isOne = reference !== undefined && others.length === 0 && to !== own && !byName.has(to);
  return isOne ? `${printName(reference.field.name)}.${field}` : name;
}

/** A rule in words. A group among others is in parentheses. */
export function describeRule(collection: Collection, where: string): string {
  const filters = readRule(collection, where);
  const words = filters.map((filter) => {
    const text = describeCondition(collection, filter);
    return filter[0] === 'or' && filters.length > 1 ? `(${text})` : text;
  });
  return words.join(` ${t.find.and} `);
}
