/** Which casts there are, by PostgreSQL's names of the types. */
import { castNames, castTypeNamed } from '../collection/types/index.ts';
import type { Type } from '../collection/types/type.ts';
import { Refusal } from '../errors.ts';
import type { Expression } from './types.ts';

export function cast(of: Expression, typeName: string): Expression {
  const type = castTypeNamed(typeName);
  if (type === undefined) {
    throw new Refusal('42704', `type "${typeName}" does not exist`, {
      hint: `Types to cast to: ${castNames().join(', ')}.`,
    });
  }
  if (!isCastable(of.type, type)) throw new Refusal('42846', `cannot cast type ${of.type.title} to ${type.title}`);
  if (of.kind === 'null') return { kind: 'null', type };
  return of.type === type ? of : { kind: 'cast', of, type };
}

/** Anything has a text form, and a text may be that of anything. */
function isCastable(from: Type, to: Type): boolean {
  return from.kind === to.kind || to.kind === 'text' || from.casts.includes(to.kind) || from.casts.includes('*');
}
