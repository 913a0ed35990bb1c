/** Translates conditions in SQL or JavaScript syntax to the query language, for hints. */
import { type Sentence, say } from '../base/sentence.ts';
import { OPERATOR_SYMBOLS } from '../dialect/operators.ts';

const COMPARISON = /^(\w+)\s*(===?|!==?|<>|>=|<=|=|>|<)\s*(?:'([^']*)'|"([^"]*)"|(?:(?:n?eq|[gl]te?)\.)?(\S+))$/;
const PRESENCE = /^(\w+)\s+is\s+(not\s+)?null$/i;

/** Matches text in the syntax of the query language, valid or not: `id=eq.1`, `tags=not.cs.{a}`, `or=(…)`. */
const IN_FORM = /^[\w.>-]+=(?:[\w()]+\.|\()/;

/** The equivalent of `cost > 3`, or a general example. Undefined if the text already has the right syntax. */
export function translateCondition(where: string): Sentence | undefined {
  const parts = where.split(/\s+and\s+|\s*&&?\s*/i).map((part) => part.trim());
  if (parts.every((part) => IN_FORM.test(part))) return undefined;
  const conditions = parts.map(conditionIn);
  if (conditions.every((each) => each !== undefined)) return say`write ${conditions.join('&')}`;
  return say`write FIELD=OPERATOR.VALUE, and & between conditions`;
}

function conditionIn(text: string): string | undefined {
  if (IN_FORM.test(text)) return text;
  const presence = PRESENCE.exec(text);
  if (presence !== null) return `${presence[1]}=${presence[2] === undefined ? '' : 'not.'}is.null`;
  const [, field, sign = '', single, double, bare] = COMPARISON.exec(text) ?? [];
  const value = single ?? double ?? bare;
  return value === undefined ? undefined : `${field}=${OPERATOR_SYMBOLS[sign]}.${value}`;
}
