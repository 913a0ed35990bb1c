/** `{"$from": 0, "field": "id"}` in a row of a batch: a value that an earlier request of the batch gives. */
import { ApiError } from '../../base/errors.ts';
import { isObject } from '../../collection/exact-json.ts';

const FROM = '$from';

/**
 * Stands for the value in a plan, in place of a `Value`, until the engine has executed the earlier request. The engine
 * then checks the value as if the client had sent it.
 */
export class EarlierValue {
  constructor(
    /** The index of the earlier request. */
    readonly request: number,
    /** The column of the rows that it returns. */
    readonly column: string,
    /** The field that takes the value. */
    readonly target = '',
  ) {}

  toJSON(): unknown {
    return { [FROM]: this.request, field: this.column };
  }

  toString(): string {
    return JSON.stringify(this);
  }
}

/** Replaces such values in the rows of a body, and returns them. `index` is the request with this body. */
export function takeEarlierValues(body: unknown, index: number): readonly EarlierValue[] {
  const taken: EarlierValue[] = [];
  for (const row of Array.isArray(body) ? body : [body]) {
    if (!isObject(row)) continue;
    for (const [name, cell] of Object.entries(row)) {
      if (!isObject(cell) || !Object.hasOwn(cell, FROM)) continue;
      const value = earlierValue(cell, index, name);
      row[name] = value;
      taken.push(value);
    }
  }
  return taken;
}

/** The values of earlier requests that the rows of a body already have. */
export function earlierValuesIn(body: unknown): readonly EarlierValue[] {
  const rows = Array.isArray(body) ? body : [body];
  return rows.filter(isObject).flatMap((row) => Object.values(row).filter((cell) => cell instanceof EarlierValue));
}

function earlierValue({ [FROM]: request, field, ...more }: Record<string, unknown>, index: number, name: string) {
  const isEarlier = typeof request === 'number' && Number.isInteger(request) && request >= 0 && request < index;
  if (isEarlier && typeof field === 'string' && Object.keys(more).length === 0) return new EarlierValue(request, field);
  throw new ApiError('PGRST102', `${name}: ${JSON.stringify({ [FROM]: request, field, ...more })} names no value`, {
    details: `${FROM} is the index of an earlier request, ${index === 0 ? 'and this is the first' : `0 to ${index - 1}`}.`,
    hint: `Write {"${FROM}": 0, "field": "id"}.`,
  });
}
