/** Groups of conditions of which one is enough: `or=(price.gt.5,name.ilike."*tea*")`. */
import { OPERATORS } from '../../../dialect/operators.ts';
import type { Collection } from '../api/catalogue.ts';
import { type Pair, readFilter } from '../api/query/filters.ts';
import { printName, quoted, readName } from '../api/query/text.ts';
import { t } from '../i18n/text.ts';
import { describeFilter, parseCondition, plainName, printCondition } from './conditions.ts';

/** A quoted text, an inner list, or other characters between commas. */
const TERMS = /(?:"(?:\\.|[^"\\])*"|\((?:"(?:\\.|[^"\\])*"|[^()"])*\)|[^,"()])+/gs;
const TERM = /^("(?:\\.|[^"\\])*"|[^."]+)\.(.+)$/s;
/** Operands of these operators have a form of their own. */
const UNQUOTED = /^(is|in)$|\(/;

/** The conditions of a group; undefined if one of them is not a condition on a field. */
export function parseGroup(collection: Collection, text: string): readonly Pair[] | undefined {
  const [, inner = ''] = /^\((.*)\)$/s.exec(text) ?? [];
  const pairs = (inner.match(TERMS) ?? []).map((term): Pair | undefined => {
    const [, name = '', condition = ''] = TERM.exec(term) ?? [];
    const parts = parseCondition(condition);
    // Another word after the name is a field of a related row.
    if (!collection.byName.has(readName(name)) || !Object.hasOwn(OPERATORS, plainName(parts.operator)))
      return undefined;
    return [readName(name), printCondition({ ...parts, operand: readName(parts.operand) })];
  });
  return pairs.length > 1 && pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

/** The group of some conditions; undefined if one of them is not possible in a group. */
export function printGroup(collection: Collection, pairs: readonly Pair[]): string | undefined {
  const terms = pairs.map(([name, condition]) => {
    const parts = parseCondition(condition);
    if (!collection.byName.has(name) || ['during', 'orempty'].includes(parts.operator)) return undefined;
    const operand = UNQUOTED.test(parts.operator) ? parts.operand : quoted(parts.operand);
    return `${printName(name)}.${printCondition({ ...parts, operand })}`;
  });
  return terms.every((term) => term !== undefined) ? `(${terms.join(',')})` : undefined;
}

/** A filter in words, also a group. */
export function describeCondition(collection: Collection, [name, text]: Pair): string {
  const group = name === 'or' ? parseGroup(collection, text) : undefined;
  if (group === undefined) return describeFilter(readFilter(collection, name), name, text);
  return group.map((pair) => describeCondition(collection, pair)).join(` ${t.find.or} `);
}
