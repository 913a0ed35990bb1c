/**
 * Renames a field wherever a declaration lists it: keys, unique sets, references, searches, rights of roles with their
 * plain conditions, and expressions. Groups of conditions and stored requests keep the old name, which the reader then
 * reports with the line.
 */
import type { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { USUAL_KEY } from '../collection-format.ts';

/** Names in quotes, texts and words of an expression. */
const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_]*/gu;

export function renameField(document: Document, collection: string, from: string, to: string): void {
  const { isMap, isScalar, isSeq } = require('yaml') as typeof import('yaml');
  const at = (...path: readonly unknown[]) => document.getIn(path, true);
  const items = (node: unknown): readonly unknown[] => (isSeq(node) ? (node as YAMLSeq).items : []);
  const entries = (node: unknown) => (isMap(node) ? (node as YAMLMap<Scalar, unknown>).items : []);
  const member = (node: unknown, name: string) => (isMap(node) ? (node as YAMLMap).get(name, true) : undefined);
  const textOf = (node: unknown) => (isScalar(node) ? node.value : undefined);
  const change = (node: unknown, renamed: (text: string) => string): void => {
    if (isScalar(node) && typeof node.value === 'string') node.value = renamed(node.value);
    for (const item of items(node)) change(item, renamed);
  };
  const rename = (node: unknown) => change(node, (text) => (text === from ? to : text));
  const isWord = (name: string) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);
  const quoted = isWord(to) ? to : `"${to.replaceAll('"', '""')}"`;
  const inExpression = (text: string) =>
    text.replace(WORD, (word) => (word === from || word === `"${from.replaceAll('"', '""')}"` ? quoted : word));
  /** `cost=gt.1&cost->x=eq.2`. Values and groups stay: a text in them may look like the name. */
  const inConditions = (text: string) =>
    [from, to].every(isWord) ? text.replace(new RegExp(`(^|&)${from}(?=->|::|=)`, 'gu'), `$1${to}`) : text;
  /** Whether a field refers to the collection. */
  const leadsHere = (name: string, field: string) => {
    const reference = at('collections', name, 'fields', field, 'references');
    return textOf(member(reference, 'collection') ?? reference) === collection;
  };
  for (const { key, value } of entries(at('collections'))) {
    const name = String(key.value);
    const isOwn = name === collection;
    for (const link of items(member(value, 'references'))) {
      if (isOwn) rename(member(link, 'fields'));
      if (textOf(member(link, 'collection')) === collection) rename(member(link, 'to'));
    }
    for (const { key: searched } of entries(member(member(value, 'search'), 'fields'))) {
      const renamed = (path: string) => {
        const [first = '', ...rest] = path.split('.');
        if (isOwn && first === from) return [to, ...rest].join('.');
        return rest[0] === from && leadsHere(name, first) ? `${first}.${to}` : path;
      };
      change(searched, renamed);
    }
    if (!isOwn) continue;
    for (const part of ['key', 'unique']) rename(member(value, part));
    if (from === USUAL_KEY && isMap(value) && !value.has('key')) value.set('key', to);
    for (const { value: field } of entries(member(value, 'fields'))) change(member(field, 'computed'), inExpression);
  }
  for (const { value: role } of entries(at('roles'))) {
    for (const { value: rule } of entries(member(role, collection))) {
      rename(member(rule, 'fields'));
      change(member(rule, 'where'), inConditions);
    }
  }
}
