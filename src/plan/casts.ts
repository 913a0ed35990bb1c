/** Resolves casts by PostgreSQL's type names. */

import { ApiError } from '../base/errors.ts';
import { isCastable } from '../collection/types/cast.ts';
import { castNames, castTypeNamed } from '../collection/types/index.ts';
import type { Expression } from './types.ts';

export function cast(of: Expression, typeName: string): Expression {
  const type = castTypeNamed(typeName);
  if (type === undefined) {
    throw new ApiError('42704', `type "${typeName}" does not exist`, {
      hint: `Types to cast to: ${castNames().join(', ')}.`,
    });
  }
  if (!isCastable(of.type, type)) throw new ApiError('42846', `cannot cast type ${of.type.title} to ${type.title}`);
  if (of.kind === 'null') return { kind: 'null', type };
  return of.type === type ? of : { kind: 'cast', of, type };
}
