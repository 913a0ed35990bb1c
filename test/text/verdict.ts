/** Compiles client input and returns whether a text matches, or the error code of a rejection. */
import { ApiError } from '../../src/base/errors.ts';

type Matcher = (text: string) => boolean;

export function verdict(compile: () => Matcher, text: string): boolean | string {
  try {
    return compile()(text);
  } catch (problem) {
    if (problem instanceof ApiError) return `${problem.code} ${problem.message}`;
    throw problem;
  }
}
