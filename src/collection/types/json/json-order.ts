/**
 * The sort order of jsonb: null, texts, numbers, false, true, arrays, objects. Shorter arrays and objects come first,
 * then the comparison goes part by part, with keys in storage order. A top-level empty array sorts first, for
 * historical reasons in PostgreSQL.
 */
import { WrittenNumber } from '../../exact-json.ts';
import { keyCount, keyPart } from '../compare.ts';
import { decimalKey } from '../number/decimal-text.ts';
import { storedKeys } from './json-text.ts';

export function jsonKey(json: unknown): string {
  return Array.isArray(json) && json.length === 0 ? '0' : partKey(json);
}

function partKey(json: unknown): string {
  if (json === null) return '1';
  if (typeof json === 'string') return `2${keyPart(json)}`;
  if (typeof json === 'number') return `3${decimalKey(String(json))}`;
  if (json instanceof WrittenNumber) return `3${decimalKey(json.text)}`;
  if (typeof json === 'boolean') return json ? '5' : '4';
  if (Array.isArray(json)) return `6${keyCount(json.length)}${json.map(partKey).join('')}`;
  const members = storedKeys(json as object).map(
    (key) => keyPart(key) + partKey((json as Record<string, unknown>)[key]),
  );
  return `7${keyCount(members.length)}${members.join('')}`;
}
