/** `select=`: columns, aliases, casts, aggregates; embeds are read so that they can be refused by name. */
import { Refusal } from '../errors.ts';
import { MAX_TERMS } from '../limits.ts';
import { FIELD_NAME, readFieldPath, readName } from './names.ts';
import { Scanner } from './scanner.ts';
import { AGGREGATES, type Aggregate, type SelectItem } from './tree.ts';

const ITEM = `"...", ${FIELD_NAME}, "*" or "count()"`;
const NAME_START = /[\p{L}\p{N}_$"]/uy;
const CAST_NAME = /[\p{L}\p{N}_$ ]+/uy;

export const EVERYTHING: readonly SelectItem[] = [{ kind: 'all' }];

export function parseSelect(value: string): readonly SelectItem[] {
  if (value.trim() === '') return EVERYTHING;
  const items: SelectItem[] = [];
  const scanner = new Scanner('select parameter', value);
  do {
    items.push(readItem(scanner));
    if (items.length > MAX_TERMS) throw new Refusal('54000', `select may name ${MAX_TERMS} columns`);
  } while (scanner.take(','));
  if (!scanner.atEnd) scanner.fail('"," or end of input');
  return items;
}

function readItem(scanner: Scanner): SelectItem {
  scanner.skipSpaces();
  if (scanner.atEnd || scanner.peek() === ',') scanner.fail(ITEM);
  if (scanner.take('*')) {
    scanner.skipSpaces();
    return { kind: 'all' };
  }
  if (scanner.take('...')) return readEmbed(scanner, readName(scanner));
  const alias = scanner.attempt(() => {
    if (!scanner.sees(NAME_START)) return undefined;
    const name = readName(scanner);
    return scanner.peek() === ':' && scanner.peek(2) !== '::' && scanner.take(':') ? name : undefined;
  });
  const named = alias === undefined ? {} : { alias };
  if (scanner.take('count()')) {
    const cast = readCast(scanner);
    scanner.skipSpaces();
    return { kind: 'count', ...named, ...(cast === undefined ? {} : { cast }) };
  }
  if (!scanner.sees(NAME_START)) scanner.fail(ITEM);
  const field = readFieldPath(scanner);
  if (scanner.peek() === '(' || scanner.peek() === '!') return readEmbed(scanner, field.name);
  const cast = readCast(scanner);
  const aggregate = readAggregate(scanner);
  const aggregateCast = aggregate === undefined ? undefined : readCast(scanner);
  scanner.skipSpaces();
  return {
    kind: 'column',
    field,
    ...named,
    ...(cast === undefined ? {} : { cast }),
    ...(aggregate === undefined ? {} : { aggregate }),
    ...(aggregateCast === undefined ? {} : { aggregateCast }),
  };
}

function readCast(scanner: Scanner): string | undefined {
  if (!scanner.take('::')) return undefined;
  const cast = scanner.takeWhile(CAST_NAME).trim();
  if (cast === '') scanner.fail('a type (text, int, numeric, ...)');
  return cast;
}

function readAggregate(scanner: Scanner): Aggregate | undefined {
  if (!scanner.take('.')) return undefined;
  const aggregate = AGGREGATES.find((name) => scanner.take(name));
  if (aggregate === undefined) scanner.fail('"sum", "avg", "count", "max" or "min"');
  scanner.expect('()');
  return aggregate;
}

/** Reads over `name!hint(…)`, however it nests: there is nothing to embed, and the planner says so. */
function readEmbed(scanner: Scanner, name: string): SelectItem {
  scanner.takeWhile(/[^(,]*/y);
  scanner.expect('(');
  let depth = 1;
  while (depth > 0) {
    if (scanner.atEnd) scanner.fail('")"');
    const character = scanner.peek();
    if (character === '(') depth++;
    if (character === ')') depth--;
    scanner.position++;
  }
  scanner.skipSpaces();
  return { kind: 'embed', name };
}
