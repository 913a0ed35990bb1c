/**
 * Parses `facets=brand_id,variants.size,price(0,50,100),category_id(within)`: fields to count rows by, with the limits
 * of ranges, or with the rows above in a tree.
 */
import { defined } from '../base/defined.ts';
import { MAX_FACET_VALUES, MAX_FACETS } from '../base/limits/http.ts';
import { readFieldPath, readListedValue } from './names.ts';
import { Scanner } from './scanner.ts';
import type { FacetTerm } from './tree.ts';

/** An answer with rows, their number and facets. */
export const FACETS_MEDIA_TYPE = 'application/vnd.catalogue.facets+json';

const HINT =
  'Write facets=brand_id,variants.size,price(0,50,100): fields, and ascending numbers or times for ranges. group(within) counts along a tree.';

export function parseFacets(value: string): readonly FacetTerm[] {
  const scanner = new Scanner('facets', value, () => HINT);
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
