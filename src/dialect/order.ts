/**
 * Parses `order=`, fields with direction and position of nulls, and
 * `facets=brand_id,variants.size,price(0,50,100),category_id(within)`, fields to count rows by, with the limits of
 * ranges, or with the rows above in a tree.
 */
import { defined } from '../base/defined.ts';
import { MAX_FACET_VALUES, MAX_FACETS, MAX_TERMS } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import { readFieldPath, readFigure, readListedValue, Scanner } from './names.ts';
import type { FacetTerm, OrderTerm } from './tree.ts';

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

/** An answer with rows, their number and facets. */
export const FACETS_MEDIA_TYPE = 'application/vnd.catalogue.facets+json';

const FACETS_HINT =
  'Write facets=brand_id,variants.size,price(0,50,100): fields, and ascending numbers or times for ranges. group(within) counts along a tree.';

export function parseFacets(value: string): readonly FacetTerm[] {
  const scanner = new Scanner('facets', value, () => FACETS_HINT);
  const terms = scanner.list(() => readFacet(scanner), MAX_FACETS, `facets may name ${MAX_FACETS} fields`);
  scanner.expectEnd('"(", "," or end of input');
  return terms;
}

function readFacet(scanner: Scanner): FacetTerm {
  const start = scanner.position;
  let field = readFieldPath(scanner);
  let embed: string | undefined;
  if (field.json.length === 0 && scanner.take('.')) {
    embed = field.name;
    field = readFieldPath(scanner);
  }
  const name = scanner.text.slice(start, scanner.position).trim();
  if (scanner.take('(within)')) return { name, field, within: true, ...defined({ embed }) };
  return { name, field, ...defined({ embed, limits: scanner.take('(') ? readLimits(scanner, name) : undefined }) };
}

function readLimits(scanner: Scanner, name: string): readonly string[] {
  const readLimit = () => readListedValue(scanner).trim() || scanner.fail('a number or a time');
  const limits = scanner.list(readLimit, MAX_FACET_VALUES, `${name} may have ${MAX_FACET_VALUES} limits`);
  scanner.expect(')', '"," or ")"');
  scanner.skipSpaces();
  return limits;
}
