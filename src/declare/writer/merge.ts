/**
 * Applies a JSON Merge Patch (RFC 7396) to the text of a declaration. Comments and order stay. Spaces stay if possible
 * except in the lines between the first change and the last one. A JSON file stays JSON. A removed field that a new one
 * names in `was` is renamed: it keeps its place and its properties, and lists of fields follow.
 */
import type { Document, Scalar, YAMLMap } from 'yaml';
import { ApiError } from '../../base/errors.ts';
import { about, say } from '../../base/sentence.ts';
import { isObject } from '../../collection/exact-json.ts';
import { MERGE } from '../reader/document.ts';
import { renameField } from './rename-field.ts';

type Patch = Readonly<Record<string, unknown>>;

/** Fields are written on one line each: `collections`, a name, `fields`, a name. */
const FIELD_DEPTH = 4;

const OPTIONS = { intAsBigInt: true, schema: 'core', resolveKnownTags: false, stringKeys: true } as const;

const JSON_STYLE = {
  collectionStyle: 'flow',
  defaultKeyType: 'QUOTE_DOUBLE',
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedAsJSON: true,
} as const;

/** `text` is a valid declaration. */
export function mergeIntoText(text: string, patch: Patch, isJson: boolean): string {
  rejectMergeKeys([], patch);
  // Loaded only for an edit, since loading takes time.
  const { parseDocument, isAlias, isMap } = require('yaml') as typeof import('yaml');
  const document: Document = parseDocument(text, OPTIONS);

  const merge = (path: readonly string[], changes: Patch): void => {
    const renamed = renamedFields(path, changes).filter((name) => rename(path, changes, name));
    for (const [name, value] of Object.entries(changes)) {
      if (renamed.includes(name)) continue;
      const place = [...path, name];
      const before = document.getIn(place, true);
      if (isAlias(before)) throw rejectAlias(place);
      if (value === null) document.deleteIn(place);
      else if (isObject(value) && isMap(before)) merge(place, value);
      else document.setIn(place, nodeOf(place, withoutNulls(value)));
    }
  };
  /** Returns whether the field exists, and the new name does not. */
  const rename = (path: readonly string[], changes: Patch, from: string): boolean => {
    const fields = document.getIn(path, true) as YAMLMap<Scalar> | undefined;
    const to = Object.keys(changes).find((name) => (changes[name] as Patch | null)?.was === from)!;
    const pair = isMap(fields) ? fields.items.find(({ key }) => key.value === from) : undefined;
    if (pair === undefined || fields!.has(to)) return false;
    if (isAlias(pair.value)) throw rejectAlias([...path, from]);
    pair.key.value = to;
    if (!isMap(pair.value)) pair.value = document.createNode({ type: pair.value }, { flow: true });
    renameField(document, path[1]!, from, to);
    return true;
  };
  /** A map with each field on a line of its own. */
  const nodeOf = (path: readonly string[], value: unknown): unknown => {
    const flow = path.length >= FIELD_DEPTH || path[0] !== 'collections';
    const node = document.createNode(value, { flow, aliasDuplicateObjects: false });
    if (flow || !isMap(node) || !isObject(value)) return node;
    for (const [name, each] of Object.entries(value)) node.set(name, nodeOf([...path, name], each));
    return node;
  };

  const style = isJson ? { ...JSON_STYLE, lineWidth: 80 } : { lineWidth: 0, singleQuote: true };
  const normalized = document.toString(style);
  merge([], patch);
  const merged = printed(document, style);
  const result = withOriginalLines(text, normalized, merged);
  const read = parseDocument(result, OPTIONS);
  // If the lines do not align, the whole text is normalized.
  return read.errors.length === 0 && read.toString(style) === merged ? result : merged;
}

/** The removed fields that another one names in `was`. */
function renamedFields([first, , third, ...others]: readonly string[], changes: Patch): readonly string[] {
  if (first !== 'collections' || third !== 'fields' || others.length > 0) return [];
  const former = Object.values(changes).map((value) => (isObject(value) ? value.was : undefined));
  return Object.keys(changes).filter((name) => changes[name] === null && former.includes(name));
}

/** Fails if the patch removed a part that an alias refers to. */
function printed(document: Document, style: Parameters<Document['toString']>[0]): string {
  try {
    return document.toString(style);
  } catch (error) {
    throw new ApiError(
      'CAT400D',
      say`another part of the declaration refers to the changed one: ${(error as Error).message}`,
      {
        hint: say`Change the file by hand.`,
      },
    );
  }
}

/** Takes the lines before the first change and after the last one from the original text, with its spaces. */
function withOriginalLines(original: string, before: string, after: string): string {
  const old = before.split('\n');
  const next = after.split('\n');
  const most = Math.min(old.length, next.length);
  let same = 0;
  while (same < most && next[same] === old[same]) same++;
  let sameEnd = 0;
  while (sameEnd < most - same && next.at(-1 - sameEnd) === old.at(-1 - sameEnd)) sameEnd++;
  const lines = alignedLines(original.split('\n'), old);
  const head = lines.filter(({ end }) => end <= same);
  const tail = lines.filter(({ start }) => start >= old.length - sameEnd);
  const rest = next.slice(head.at(-1)?.end ?? 0, next.length - old.length + (tail[0]?.start ?? old.length));
  return [...head.map(({ line }) => line), ...rest, ...tail.map(({ line }) => line)].join('\n');
}

/** Each original line with its normalized lines. A comment behind the key of a map is a line of its own there. */
function alignedLines(original: readonly string[], normalized: readonly string[]) {
  const compact = (...lines: readonly (string | undefined)[]) => lines.join('').replace(/\s/g, '');
  let end = 0;
  return original.map((line) => {
    const start = end;
    const [one, two] = normalized.slice(start, start + 2);
    end += compact(line) !== compact(one) && compact(line) === compact(one, two) ? 2 : 1;
    return { line, start, end };
  });
}

/** In a merge patch, null removes a member. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(members.map(([name, each]) => [name, withoutNulls(each)]));
}

/** A merge key would mean other members than those that the request names. */
function rejectMergeKeys(path: readonly string[], value: unknown): void {
  if (path.at(-1) === MERGE) {
    throw new ApiError('CAT400D', about(path.join('.'), say`a request may not use the merge key ${MERGE}`), {
      hint: say`Send the members themselves, or change the file by hand.`,
    });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) rejectMergeKeys([...path, name], each);
}

function rejectAlias(path: readonly string[]): ApiError {
  return new ApiError('CAT400D', say`${path.join('.')} is an alias of another part of the declaration`, {
    hint: say`Change the file by hand.`,
  });
}
