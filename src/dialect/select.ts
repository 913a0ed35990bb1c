/** Parses `select=`: columns, aliases, casts, aggregates, embeddings. */
import { defined } from '../base/defined.ts';
import { ApiError } from '../base/errors.ts';
import { MAX_EMBED_DEPTH, MAX_EMBEDS, MAX_TERMS } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import { say } from '../base/sentence.ts';
import { FIELD_NAME, readAggregate, readFieldPath, readName, Scanner } from './names.ts';
import type { EmbedItem, SelectItem } from './tree.ts';

const ITEM = say`"...", ${FIELD_NAME}, "*" or "count()"`;
const NAME_START = /[\p{L}\p{N}_$"]/uy;
const CAST_NAME = /[\p{L}\p{N}_$ ]+/uy;

export const EVERYTHING: readonly SelectItem[] = [{ kind: 'all' }];

export function parseSelect(value: string): readonly SelectItem[] {
  return value.trim() === '' ? EVERYTHING : selectOf(value);
}

/** Cached by text: clients repeat a few selections, and later stages cache their results by the parsed list. */
const selectOf = memoizeText((value): readonly SelectItem[] => {
  const scanner = new Scanner('select parameter', value);
  const items = readItems(scanner, 0);
  scanner.expectEnd('"," or end of input');
  if (countEmbeds(items) > MAX_EMBEDS) throw new ApiError('54000', say`a request may hold ${MAX_EMBEDS} embeddings`);
  return items;
});

/** `depth` is the number of enclosing embeddings. */
function readItems(scanner: Scanner, depth: number): readonly SelectItem[] {
  return scanner.list(() => readItem(scanner, depth), MAX_TERMS, `select may name ${MAX_TERMS} columns`);
}

/** At any depth. */
function countEmbeds(items: readonly SelectItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'embed' ? 1 + countEmbeds(item.select) : 0), 0);
}

function readItem(scanner: Scanner, depth: number): SelectItem {
  scanner.skipSpaces();
  if (scanner.atEnd || scanner.peek() === ',') scanner.fail(ITEM);
  if (scanner.take('*')) {
    scanner.skipSpaces();
    return { kind: 'all' };
  }
  if (scanner.take('...')) return readEmbed(scanner, readName(scanner), { spread: true }, depth + 1);
  const alias = scanner.attempt(() => {
    if (!scanner.sees(NAME_START)) return undefined;
    const name = readName(scanner);
    return scanner.peek() === ':' && scanner.peek(2) !== '::' && scanner.take(':') ? name : undefined;
  });
  if (scanner.take('count()')) {
    const cast = readCast(scanner);
    scanner.skipSpaces();
    return { kind: 'count', ...defined({ alias, cast }) };
  }
  if (!scanner.sees(NAME_START)) scanner.fail(ITEM);
  const field = readFieldPath(scanner);
  const isEmbed = field.json.length === 0 && field.name !== 'count';
  if (isEmbed && (scanner.peek() === '(' || scanner.peek() === '!')) {
    return readEmbed(scanner, field.name, { spread: false, ...defined({ alias }) }, depth + 1);
  }
  const cast = readCast(scanner);
  const aggregate = readAggregate(scanner);
  const aggregateCast = aggregate === undefined ? undefined : readCast(scanner);
  scanner.skipSpaces();
  return { kind: 'column', field, ...defined({ alias, cast, aggregate, aggregateCast }) };
}

function readCast(scanner: Scanner): string | undefined {
  if (!scanner.take('::')) return undefined;
  const cast = scanner.takeWhile(CAST_NAME).trim();
  if (cast === '') scanner.fail('a type (text, int, numeric, ...)');
  return cast;
}

/**
 * Parses what follows the name: a hint and a join type in any order, the first of each wins; and the embedded
 * selection.
 */
function readEmbed(
  scanner: Scanner,
  name: string,
  given: Pick<EmbedItem, 'spread' | 'alias'>,
  depth: number,
): EmbedItem {
  // Checked before parsing the content, since a text of parentheses would need an equally deep stack.
  if (depth > MAX_EMBED_DEPTH) throw new ApiError('54000', say`embeddings may nest ${MAX_EMBED_DEPTH} deep`);
  let hint: string | undefined;
  let join: 'inner' | 'left' | undefined;
  for (let words = 0; words < 2 && scanner.take('!'); words++) {
    const word = readName(scanner);
    if (word === 'inner' || word === 'left') join ??= word;
    else hint ??= word;
  }
  const inner = join === 'inner';
  scanner.expect('(');
  const select = scanner.peek() === ')' ? [] : readItems(scanner, depth);
  scanner.expect(')', '"," or ")"');
  scanner.skipSpaces();
  return { kind: 'embed', name, inner, ...given, ...defined({ hint }), select };
}
