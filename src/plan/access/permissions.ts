/**
 * The permissions of a caller: the catalogue as the role sees it, and the predicates of its rules with the caller's
 * claims. They are created once per role, or once per caller if rules refer to claims or authors.
 */

import { ApiError } from '../../base/errors.ts';
import { memoize, memoizeText } from '../../base/memo.ts';
import { ANONYMOUS, type Caller, ownerOf } from '../../collection/access/caller.ts';
import { changeDenied, fieldsDenied, tableDenied } from '../../collection/access/permission-errors.ts';
import { viewOf } from '../../collection/access/views.ts';
import { authorOf, commentedRow } from '../../collection/comments.ts';
import type { Catalogue, Collection, Field, Role, Rule } from '../../collection/declaration.ts';
import type { Right } from '../../collection/draft.ts';
import { FILES_NAME, isFiles } from '../../collection/files.ts';
import { relationsOf } from '../../collection/relations.ts';
import type { ChangeWay } from '../../collection/types/operations.ts';
import { predicateAt } from '../at-moment.ts';
import { fieldExpression } from '../resolve.ts';
import { ALWAYS, isAlways, NEVER, type Predicate } from '../types.ts';
import { type ClaimPath, type Claims, claimAt } from './claims.ts';
import { type PlannedRule, planRule } from './rule.ts';

export interface Permissions {
  /** The role's view. */
  readonly catalogue: Catalogue;
  /** Whether rules differ by field, so that the named fields matter. */
  readonly differByField: boolean;
  /** The roles whose users the caller manages. */
  readonly manages: ReadonlySet<string>;
  /** The rows that the rules allowing all of these fields, changed in these ways, permit. Throws if no rule does. */
  rows(collection: Collection, right: Right, named?: ReadonlySet<Field>, ways?: ReadonlySet<ChangeWay>): Predicate;
}

/**
 * The permissions of a caller, undefined if everything is permitted; and the cache key derived from role and claims.
 */
export interface Access {
  readonly permissions: Permissions | undefined;
  readonly scope: string;
  /** The catalogue that descriptions show, if the database decides about permissions. */
  readonly described?: () => Promise<Catalogue>;
  /** Whether the caller has the anonymous role of the database. */
  readonly isAnonymous?: boolean;
}

/** Throws for a role that is not declared. */
export function authorize(catalogue: Catalogue): (caller: Caller) => Access {
  const roles = new Map(
    [...(catalogue.roles?.values() ?? [])].map((role) => [role.name, accessByCaller(catalogue, role)]),
  );
  return (caller) => {
    const accessOf = roles.get(caller.role);
    if (accessOf === undefined) throw undeclaredRole(caller);
    return accessOf(caller);
  };
}

function undeclaredRole({ role }: Caller): ApiError {
  if (role === 'anonymous') {
    return new ApiError('PGRST302', 'Anonymous access is disabled', {
      hint: 'Send credentials: Authorization: Bearer and a token or a key.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return new ApiError('42501', `role "${role}" does not exist`, {
    hint: 'Ask for credentials of a role that is declared.',
  });
}

function accessByCaller(catalogue: Catalogue, role: Role): (caller: Caller) => Access {
  if (role.isAll) {
    const access = { permissions: undefined, scope: scopeOf(role, [], {}) };
    return () => access;
  }
  const planned = new Map(
    [...role.rules].flatMap(([collection, rules]) =>
      Object.values(rules).flatMap((some) => some.map((rule) => [rule, planOf(collection, rule)] as const)),
    ),
  );
  const plannedRole: PlannedRole = {
    declared: role,
    planned,
    view: viewOf(catalogue, role),
    differByField: [...role.rules.values()].some((rules) => Object.values(rules).some(differInFields)),
  };
  const paths = [...planned.values()].flatMap(({ claims }) => claims);
  const make = (caller: Caller): Access => ({
    permissions: new RolePermissions(plannedRole, caller),
    scope: scopeOf(role, paths, caller.claims),
  });
  const hasAuthors = [...role.rules.keys()].some((each) => authorOf(each) !== undefined);
  if (paths.length > 0 || hasAuthors) return memoize(make);
  const access = make(ANONYMOUS);
  return () => access;
}

/** The part that all callers of a role share. */
interface PlannedRole {
  readonly declared: Role;
  readonly planned: ReadonlyMap<Rule, PlannedRule>;
  readonly view: Catalogue;
  readonly differByField: boolean;
}

const EVERY_ROW: PlannedRule = { claims: [], predicate: () => ALWAYS };

function planOf(collection: Collection, { where }: Rule): PlannedRule {
  return where === undefined ? EVERY_ROW : planRule(collection, where);
}

/** The role and the claims that its rules refer to. */
function scopeOf({ name }: Role, paths: readonly ClaimPath[], claims: Claims): string {
  return JSON.stringify([name, ...paths.map((path) => claimAt(claims, path) ?? null)]);
}

class RolePermissions implements Permissions {
  readonly catalogue: Catalogue;
  readonly differByField: boolean;
  readonly manages: ReadonlySet<string>;
  /** Cached for collections whose rules do not differ by field, so that a caller's requests share the same objects. */
  private readonly allRows = memoize((collection: Collection) =>
    memoizeText((right) => this.some(this.role.declared.rules.get(collection)![right as Right])),
  );

  constructor(
    private readonly role: PlannedRole,
    private readonly caller: Caller,
  ) {
    this.catalogue = role.view;
    this.differByField = role.differByField;
    this.manages = role.declared.manages;
  }

  rows(collection: Collection, right: Right, named?: ReadonlySet<Field>, ways?: ReadonlySet<ChangeWay>): Predicate {
    const allowed = this.allowedRows(collection, right, named, ways);
    return predicateAt(andAlso(allowed, this.commentRows(collection, right)), Date.now());
  }

  /** A comment belongs to a row that the caller can read. Only its author changes it. */
  private commentRows(collection: Collection, right: Right): Predicate {
    const relation = commentedRow(collection);
    if (relation === undefined) return ALWAYS;
    if (right === 'read' || right === 'create') {
      const { to } = relation;
      const rules = this.role.declared.rules.get(to)?.read ?? [];
      if (rules.length === 0) throw tableDenied(collection.name, right);
      return { kind: 'exists', relation, where: this.allowedRows(to, 'read', new Set(to.key), undefined) };
    }
    const owner = ownerOf(this.caller);
    if (owner === undefined) return NEVER;
    return { kind: 'compare', of: fieldExpression(authorOf(collection)!), operator: '=', value: owner };
  }

  private allowedRows(
    collection: Collection,
    right: Right,
    named: ReadonlySet<Field> | undefined,
    ways: ReadonlySet<ChangeWay> | undefined,
  ): Predicate {
    if (isFiles(collection) && right === 'read') return this.fileRows(collection);
    const rules = this.role.declared.rules.get(collection)?.[right] ?? [];
    if (rules.length === 0) throw tableDenied(collection.name, right);
    if (ways !== undefined && rules.some(({ operations }) => operations !== undefined)) {
      return this.some(rulesFor(collection, rules, named!, ways));
    }
    if (named === undefined || !differInFields(rules)) return this.allRows(collection)(right);
    const allowing = rules.filter(({ fields }) => [...named].every((field) => fields.has(field)));
    if (allowing.length === 0) {
      // Fields that every rule allows do not cause the error.
      const denied = [...named].filter((field) => !rules.every(({ fields }) => fields.has(field)));
      throw fieldsDenied(collection, denied, right);
    }
    return this.some(allowing);
  }

  /** A file is readable if a row and a field that refer to it are. */
  private fileRows(files: Collection): Predicate {
    const terms = [...this.role.declared.rules].flatMap(([from, { read }]) =>
      relationsOf(files).flatMap((relation): Predicate[] => {
        const { inner: field, to, through } = relation;
        if (to !== from || through !== undefined || !read.some(({ fields }) => fields.has(field))) return [];
        return [{ kind: 'exists', relation, where: this.rows(from, 'read', new Set([field])) }];
      }),
    );
    if (terms.length === 0) throw tableDenied(FILES_NAME, 'read');
    return terms.length === 1 ? terms[0]! : { kind: 'any', terms };
  }

  private some(rules: readonly Rule[]): Predicate {
    const terms = rules.map((rule) => this.role.planned.get(rule)!.predicate(this.caller.claims));
    if (terms.some(isAlways)) return ALWAYS;
    return terms.length === 1 ? terms[0]! : { kind: 'any', terms };
  }
}

/** The rules that allow to change all of these fields in all of these ways. Throws if there are none. */
function rulesFor(
  collection: Collection,
  rules: readonly Rule[],
  named: ReadonlySet<Field>,
  ways: ReadonlySet<ChangeWay>,
): readonly Rule[] {
  const ofFields = rules.filter(({ fields }) => named.isSubsetOf(fields));
  const allowing = ofFields.filter(({ operations }) => operations === undefined || ways.isSubsetOf(operations));
  if (allowing.length > 0) return allowing;
  if (ofFields.length === 0) throw fieldsDenied(collection, [...named], 'update');
  throw changeDenied(collection, named, new Set(ofFields.flatMap(({ operations }) => [...operations!])));
}

function differInFields(rules: readonly Rule[]): boolean {
  const [first, ...others] = rules;
  return others.some(
    ({ fields }) => fields.size !== first!.fields.size || ![...fields].every((each) => first!.fields.has(each)),
  );
}

/** The conjunction of two predicates. Costly tests of the second see only rows that satisfy the first. */
export function andAlso(one: Predicate, other: Predicate): Predicate {
  if (isAlways(one)) return other;
  if (isAlways(other) || one === other) return one;
  return { kind: 'all', terms: [one, other], isInOrder: true };
}
