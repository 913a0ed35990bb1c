/**
 * Claims of a caller's credentials as values in a rule: `{claims.supplier_id}`, or nested, `{claims.app.supplier_id}`.
 */

import { ApiError, unlessRejected } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import type { Caller } from '../../collection/access/caller.ts';
import { can, storeJson, type Type } from '../../collection/types/type.ts';

export type Claims = Caller['claims'];
/** The names on the path to a claim. */
export type ClaimPath = readonly string[];

const CLAIM = /^\{claims((?:\.[A-Za-z_][A-Za-z0-9_-]*)+)\}$/;

/** The claim that a value refers to; undefined for a plain value. Throws for a malformed reference. */
export function claimIn(text: string): ClaimPath | undefined {
  const match = CLAIM.exec(text);
  if (match !== null) return match[1]!.slice(1).split('.');
  if (!/\{\s*claims?\b/i.test(text)) return undefined;
  throw new ApiError('PGRST100', say`${text} is not a claim; a whole value is written {claims.name}`);
}

/** A step of the path is a name, or a position in a list. */
export function claimAt(claims: Claims, path: readonly (string | number)[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value;
}

/** The claim as the text of a filter value; undefined if it is not of the field's type. */
export function claimText(type: Type, claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  return unlessRejected(() => {
    if (can(type, 'json')) return JSON.stringify(claim);
    if (can(type, 'array')) return Array.isArray(claim) ? type.print(storeJson(type, claim)) : undefined;
    return simpleText(type, claim);
  });
}

function simpleText(type: Type, claim: unknown): string | undefined {
  if (typeof claim === 'string') return claim;
  if (typeof claim === 'boolean') return can(type, 'boolean') ? String(claim) : undefined;
  if (typeof claim !== 'number' || !(can(type, 'number') || can(type, 'text'))) return undefined;
  return isInexact(claim) ? undefined : String(claim);
}

/** Whether a claim is an integer beyond the precision of a double, which might equal somebody else's. */
export function isInexact(claim: unknown): boolean {
  return Number.isInteger(claim) && !Number.isSafeInteger(claim);
}
