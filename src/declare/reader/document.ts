/**
 * Parses a declaration, YAML or JSON, into a tree with positions. JSON is a subset of YAML, so one parser reads both.
 * Aliases and merge keys are resolved: an alias is the same node, not a copy.
 */
import type { Alias, Document, LineCounter, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { MAX_JSON_DEPTH } from '../../base/limits/http.ts';
import { say, type Wording } from '../../base/sentence.ts';
import type { Mistakes, Place } from './mistakes.ts';

export type Node = { readonly at: Place } /** `placeOf` is the place in the file of a position in the text. */ & (
  | { readonly kind: 'text'; readonly text: string; readonly placeOf: (position: number) => Place }
  /** `text` has the digits in JSON syntax; `source` is the original text. */
  | { readonly kind: 'number'; readonly text: string; readonly source: string }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly source: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly Entry[] }
);

interface Entry {
  readonly key: string;
  /** The position of the key. */
  readonly at: Place;
  readonly node: Node;
}

/** Loaded with the first declaration, since loading takes time. */
function yaml(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml');
}

/** Parses YAML or JSON. Records mistakes and then returns undefined. */
export function parseNodes(text: string, mistakes: Mistakes): Node | undefined {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    intAsBigInt: true,
    // The tree reports duplicate keys with the line of the first.
    uniqueKeys: false,
  });
  addSyntaxErrors(document, lines, mistakes);
  return mistakes.any ? undefined : new Tree(text, lines, mistakes).node(document.contents, 0);
}

/** The names that lead to the member at a place. Members by an alias are elsewhere: before the node that has them. */
export function pathAt(node: Node, place: Place): readonly string[] {
  const entries = node.kind === 'map' ? node.entries : [];
  const before = entries.filter(({ at }) => isUpTo(node.at, at) && isUpTo(at, place));
  const entry = before.toSorted((one, other) => (isUpTo(one.at, other.at) ? -1 : 1)).at(-1);
  if (entry === undefined) return [];
  return [entry.key, ...(isUpTo(entry.at, entry.node.at) ? pathAt(entry.node, place) : [])];
}

function isUpTo(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column <= other.column);
}

function addSyntaxErrors({ errors, warnings }: Document.Parsed, lines: LineCounter, mistakes: Mistakes): void {
  const reportedLines = new Set<number>();
  for (const { pos, code, message } of [...errors, ...warnings]) {
    const { line, col } = lines.linePos(pos[0]);
    // Errors after a broken line usually follow from it.
    if (reportedLines.has(line) || (reportedLines.size > 0 && message.includes('in YAML stream'))) continue;
    reportedLines.add(line);
    mistakes.add({ line, column: col }, code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : plainWords(message));
  }
}

/** The parser's message, reworded for common mistakes. */
function plainWords(message: string): Wording {
  if (message.startsWith('Unexpected flow-seq-start'))
    return say`a [ is not allowed here; inside { } put a type with brackets in quotes, such as 'text[]'`;
  if (message.startsWith('Source contains multiple documents')) return say`a declaration is one document, without ---`;
  return message;
}

const TOO_DEEP = say`a declaration may nest ${MAX_JSON_DEPTH} deep`;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

class Tree {
  /** By name. An anchor is visible only after its node, so that no node can contain itself. */
  private readonly anchors = new Map<string, Node>();

  constructor(
    private readonly source: string,
    private readonly lines: LineCounter,
    private readonly mistakes: Mistakes,
  ) {}

  /** `offset` is the position of an empty node. */
  node(given: ParsedNode | null, offset: number, depth = 1): Node {
    const at = this.place(given?.range[0] ?? offset);
    if (given === null) return { kind: 'null', at };
    const { isAlias, isMap, isSeq } = yaml();
    if (isAlias(given)) return this.alias(given, at);
    const isNested = isMap(given) || isSeq(given);
    if (isNested && depth > MAX_JSON_DEPTH) {
      this.mistakes.add(at, TOO_DEEP);
      return { kind: 'null', at };
    }
    const node: Node = isMap(given)
      ? { kind: 'map', at, entries: this.entries(given, depth) }
      : isSeq(given)
        ? { kind: 'list', at, items: given.items.map((item) => this.node(item, given.range[0], depth + 1)) }
        : { at, ...this.scalar(given as Scalar.Parsed) };
    if (given.anchor !== undefined) this.anchors.set(given.anchor, node);
    return node;
  }

  private alias({ source }: Alias, at: Place): Node {
    const node = this.anchors.get(source);
    if (node !== undefined) return node;
    this.mistakes.add(at, say`anchor &${source} is not defined before this`);
    return { kind: 'null', at };
  }

  private entries({ items }: YAMLMap.Parsed, depth: number): readonly Entry[] {
    const entries = new Map<string, Entry & { readonly isMerged?: boolean }>();
    for (const { key: written, value } of items) {
      const key = String((written as Scalar).value);
      const at = this.place(written.range[0]);
      const node = this.node(value, written.range[1], depth + 1);
      const earlier = entries.get(key);
      if (key === MERGE && (written as Scalar).type === 'PLAIN') {
        for (const entry of this.merged(node)) {
          if (!entries.has(entry.key)) entries.set(entry.key, { ...entry, isMerged: true });
        }
      } else if (earlier === undefined || earlier.isMerged === true) {
        entries.set(key, { key, at, node });
      } else {
        this.mistakes.add(at, say`${key} is here twice; the first is on line ${earlier.at.line}`);
      }
    }
    return [...entries.values()];
  }

  private merged(node: Node): readonly Entry[] {
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list' && node.items.every((item) => item.kind === 'map')) {
      return node.items.flatMap((item) => (item.kind === 'map' ? item.entries : []));
    }
    this.mistakes.add(node.at, `${MERGE} takes an alias of a map, or a list of them`);
    return [];
  }

  private scalar(given: Scalar.Parsed) {
    const read = scalar(given);
    if (read.kind !== 'text') return read;
    const [from, to] = given.range;
    const placeOf = (position: number) => this.place(sourceOffset(this.source, read.text, position, from, to));
    return { ...read, placeOf };
  }

  private place(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    return { line, column: col };
  }
}

/** Finds the same signs in the source, which also has quotes, escapes and indentation. */
function sourceOffset(source: string, text: string, position: number, from: number, to: number): number {
  let at = from;
  let found = from;
  for (const sign of text.slice(0, position + 1)) {
    while (at < to && source[at] !== sign && !(/\s/.test(sign) && /\s/.test(source[at]!))) at++;
    if (at < to) found = at++;
  }
  return position < text.length ? found : found + 1;
}

/** The key of YAML 1.1 whose members belong to the map around it. */
export const MERGE = '<<';

function scalar({ value, source = '' }: Scalar) {
  if (typeof value === 'boolean') return { kind: 'boolean', value, source } as const;
  if (value === null || value === undefined) return { kind: 'null' } as const;
  if (typeof value === 'string') return { kind: 'text', text: value } as const;
  return { kind: 'number', text: JSON_NUMBER.test(source) ? source : String(value), source } as const;
}
