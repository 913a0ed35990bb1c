/** Maps a column to our types by PostgreSQL's name of its type. */
import { FOREIGN_PREFIX } from '../../../collection/types/foreign.ts';
import { builtIn, castTypeNamed, typeNamed } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';

export interface ColumnType {
  readonly type: Type;
  /** The type that it is read as, if it differs: json as jsonb. */
  readonly readAs?: string;
}

const NUMERIC = builtIn('numeric');
const PRINTED = /^(.+?)(?:\((\d+)(?:,(-?\d+))?\))?( with(?:out)? time zone)?((?:\[\])?)$/;

/** Undefined if we have no such type. */
export function typeOfColumn(printed: string): ColumnType | undefined {
  const [, name = '', first, second, zone = '', array = ''] = PRINTED.exec(printed) ?? [];
  if (name === 'numeric') {
    const type = first === undefined ? undefined : typeNamed(`decimal(${first},${second ?? 0})${array}`);
    return type && { type };
  }
  const isCharacter = name === 'character' || name === 'character varying';
  const single = isCharacter ? 'text' : castTypeNamed(`${name}${zone}`)?.name;
  const type = single === undefined ? undefined : typeNamed(`${single}${array}`);
  if (type === undefined || single === 'numeric') return undefined;
  return isOther(name, array) ? { type, readAs: `${name === 'json' ? 'jsonb' : 'text'}${array}` } : { type };
}

/**
 * The same for a table that something else made: a number may have more digits than a decimal, and any other type is
 * passed through.
 */
export function typeOfAdopted(printed: string): ColumnType {
  const type = /^numeric(\(.*\))?$/.test(printed) ? NUMERIC : builtIn(`${FOREIGN_PREFIX}${printed}`);
  return typeOfColumn(printed) ?? { type };
}

/** Whether PostgreSQL has other operators for it than for our type. */
function isOther(name: string, array: string): boolean {
  return name === 'json' || name === 'character' || (name === 'character varying' && array !== '');
}
