/** Parses `order=`: fields with direction and position of nulls. */
import { defined } from '../base/defined.ts';
import { MAX_TERMS } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import { readFieldPath, readFigure } from './names.ts';
import { Scanner } from './scanner.ts';
import type { OrderTerm } from './tree.ts';

const WORD = /[A-Za-z]*/y;
const HINT =
  'Write order=field.asc or order=field.desc, then .nullsfirst or .nullslast; further fields follow a comma.';

/** Cached by text; equal texts give the same list, by which later stages cache their results. */
export const parseOrder = memoizeText((value): readonly OrderTerm[] => {
  const scanner = new Scanner('order', value, () => HINT);
  const terms = scanner.list(() => readOrderTerm(scanner), MAX_TERMS, `order may name ${MAX_TERMS} fields`);
  scanner.expectEnd('delimiter (.), "," or end of input');
  return terms;
});

function readOrderTerm(scanner: Scanner): OrderTerm {
  let field = readFieldPath(scanner);
  let embed: string | undefined;
  if (field.json.length === 0 && scanner.take('(')) {
    embed = field.name;
    field = readFigure(scanner, embed);
    if (field.figure !== undefined) embed = undefined;
    scanner.expect(')');
  }
  let descending: boolean | undefined;
  let nulls: 'first' | 'last' | undefined;
  while (nulls === undefined && scanner.take('.')) {
    const start = scanner.position;
    const word = scanner.takeWhile(WORD);
    if (word === 'nullsfirst' || word === 'nullslast') nulls = word === 'nullsfirst' ? 'first' : 'last';
    else if (descending === undefined && (word === 'asc' || word === 'desc')) descending = word === 'desc';
    else
      scanner.fail(
        descending === undefined ? '"asc", "desc", "nullsfirst" or "nullslast"' : '"nullsfirst" or "nullslast"',
        start,
      );
  }
  return { field, descending: descending ?? false, ...defined({ embed, nulls }) };
}
