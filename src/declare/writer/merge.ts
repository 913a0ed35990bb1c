/**
 * Applies a JSON Merge Patch (RFC 7396) to the text of a declaration. Comments, order and quotes of the rest stay;
 * spaces within a line may change. A JSON file stays JSON.
 */
import type { Document } from 'yaml';
import { ApiError } from '../../base/errors.ts';

type Patch = Readonly<Record<string, unknown>>;

/** Fields are written on one line each: `collections`, a name, `fields`, a name. */
const FIELD_DEPTH = 4;

const JSON_STYLE = {
  collectionStyle: 'flow',
  defaultKeyType: 'QUOTE_DOUBLE',
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedAsJSON: true,
} as const;

/** `text` is a valid declaration. */
export function mergeIntoText(text: string, patch: Patch, isJson: boolean): string {
  // Loaded only for an edit, since loading takes time.
  const { parseDocument, isAlias, isMap } = require('yaml') as typeof import('yaml');
  const document: Document = parseDocument(text, {
    intAsBigInt: true,
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
  });

  const merge = (path: readonly string[], changes: Patch): void => {
    for (const [name, value] of Object.entries(changes)) {
      const place = [...path, name];
      const before = document.getIn(place, true);
      if (isAlias(before)) throw rejectAlias(place);
      if (value === null) document.deleteIn(place);
      else if (isObject(value) && isMap(before)) merge(place, value);
      else document.setIn(place, nodeOf(place, withoutNulls(value)));
    }
  };
  /** A map with each field on a line of its own. */
  const nodeOf = (path: readonly string[], value: unknown): unknown => {
    const flow = path.length >= FIELD_DEPTH || path[0] !== 'collections';
    const node = document.createNode(value, { flow, aliasDuplicateObjects: false });
    if (flow || !isMap(node) || !isObject(value)) return node;
    for (const [name, each] of Object.entries(value)) node.set(name, nodeOf([...path, name], each));
    return node;
  };

  merge([], patch);
  return document.toString({ lineWidth: 0, ...(isJson ? { ...JSON_STYLE, lineWidth: 80 } : { singleQuote: true }) });
}

function isObject(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In a merge patch, null removes a member. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(members.map(([name, each]) => [name, withoutNulls(each)]));
}

function rejectAlias(path: readonly string[]): ApiError {
  return new ApiError('CAT400D', `${path.join('.')} is an alias of another part of the declaration`, {
    hint: 'Change the file by hand.',
  });
}
