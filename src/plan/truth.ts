/** Evaluates a predicate without a database, as far as the known values of a row determine it. */
import type { Value } from '../collection/value.ts';
import type { Comparator, Expression, Predicate } from './types.ts';

/** The result as in SQL; undefined if it depends on other values. */
export type Truth = boolean | null | undefined;

/** `known` gives a value that equals another one as in JavaScript, or undefined. */
export function truthOf(predicate: Predicate, known: (of: Expression) => Value | undefined): Truth {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value;
    case 'all':
    case 'any': {
      // One such term decides; otherwise every term must be known.
      const decisive = predicate.kind === 'any';
      let result: Truth = !decisive;
      for (const term of predicate.terms) {
        const truth = truthOf(term, known);
        if (truth === decisive) return decisive;
        if (truth === undefined) result = undefined;
        else if (truth === null && result !== undefined) result = null;
      }
      return result;
    }
    case 'not': {
      const truth = truthOf(predicate.term, known);
      return typeof truth === 'boolean' ? !truth : truth;
    }
    case 'compare': {
      const value = known(predicate.of);
      if (value === undefined || value === null || predicate.value === null) return value === undefined ? value : null;
      return compare(value, predicate.operator, predicate.value);
    }
    case 'in': {
      const value = known(predicate.of);
      if (value === undefined || value === null) return value;
      return predicate.values.includes(value) || (predicate.values.includes(null) ? null : false);
    }
    case 'null': {
      const value = known(predicate.of);
      return value === undefined ? value : value === null;
    }
    default:
      return undefined;
  }
}

function compare(value: Value, operator: Comparator, other: Value): Truth {
  if (operator === '=') return value === other;
  if (operator === '<>') return value !== other;
  // Texts have an order of their own.
  if (typeof value !== 'number' || typeof other !== 'number') return undefined;
  if (operator === '<') return value < other;
  if (operator === '<=') return value <= other;
  return operator === '>' ? value > other : value >= other;
}
