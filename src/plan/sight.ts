/**
 * What a caller may see and do: the catalogue as their role sees it, and the predicates of its rules, with what their credentials
 * say. It is made once for each role, and where rules ask for claims once for each caller's claims.
 */
import type { Caller } from '../collection/caller.ts';
import type { Catalogue, Collection, Field, Role, Rule } from '../collection/declaration.ts';
import { deniedTable, deniedTogether } from '../collection/denied.ts';
import type { Right } from '../collection/draft.ts';
import { viewOf } from '../collection/views.ts';
import { Refusal } from '../errors.ts';
import { oncePer } from '../once-per.ts';
import { type ClaimPath, type Claims, claimAt } from './claims.ts';
import { type PlannedRule, planRule } from './rule.ts';
import { ALWAYS, isAlways, type Predicate } from './types.ts';

export interface Sight {
  /** As the role sees it. */
  readonly catalogue: Catalogue;
  /** Whether some rows can be seen by other rules than others: then it matters which fields are named. */
  readonly isByFields: boolean;
  /** The rows that the rules allow which allow all of these fields; refused where there are none. */
  rows(collection: Collection, right: Right, named?: ReadonlySet<Field>): Predicate;
}

/** What a caller sees, where that is not everything; and a text that is another one where that, too, may be. */
export interface Admitted {
  readonly sight: Sight | undefined;
  readonly scope: string;
}

/** Refuses callers whose role there is not. */
export function admission(catalogue: Catalogue): (caller: Caller) => Admitted {
  const roles = new Map(
    [...(catalogue.roles?.values() ?? [])].map((role) => [role.name, admissionOf(catalogue, role)]),
  );
  return (caller) => {
    const admit = roles.get(caller.role);
    if (admit === undefined) throw notAdmitted(caller);
    return admit(caller.claims);
  };
}

function notAdmitted({ role }: Caller): Refusal {
  if (role === 'anonymous') {
    return new Refusal('PGRST302', 'Anonymous access is disabled', {
      hint: 'Send credentials: Authorization: Bearer and a token or a key.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return new Refusal('42501', `role "${role}" does not exist`, {
    hint: 'Ask for credentials of a role that is declared.',
  });
}

function admissionOf(catalogue: Catalogue, role: Role): (claims: Claims) => Admitted {
  if (role.isAll) {
    const admitted = { sight: undefined, scope: scopeOf(role, [], {}) };
    return () => admitted;
  }
  const planned = new Map(
    [...role.rules].flatMap(([collection, rules]) =>
      Object.values(rules).flatMap((some) => some.map((rule) => [rule, planOf(collection, rule)] as const)),
    ),
  );
  const known: KnownRole = {
    role,
    planned,
    view: viewOf(catalogue, role),
    isByFields: [...role.rules.values()].some((rules) => Object.values(rules).some(differInFields)),
  };
  const paths = [...planned.values()].flatMap(({ claims }) => claims);
  const make = (claims: Claims): Admitted => ({
    sight: new RoleSight(known, claims),
    scope: scopeOf(role, paths, claims),
  });
  if (paths.length > 0) return oncePer(make);
  const admitted = make({});
  return () => admitted;
}

/** What is the same for all callers of a role. */
interface KnownRole {
  readonly role: Role;
  readonly planned: ReadonlyMap<Rule, PlannedRule>;
  readonly view: Catalogue;
  readonly isByFields: boolean;
}

const EVERY_ROW: PlannedRule = { claims: [], predicate: () => ALWAYS };

function planOf(collection: Collection, { where }: Rule): PlannedRule {
  return where === undefined ? EVERY_ROW : planRule(collection, where);
}

/** The role, and of the claims those that its rules ask for. */
function scopeOf({ name }: Role, paths: readonly ClaimPath[], claims: Claims): string {
  return JSON.stringify([name, ...paths.map((path) => claimAt(claims, path) ?? null)]);
}

class RoleSight implements Sight {
  readonly catalogue: Catalogue;
  readonly isByFields: boolean;
  private readonly role: Role;
  /** Made when they are asked for: the same object for every request of the caller. */
  private readonly predicateOf: (rule: Rule) => Predicate;
  /** Where one rule, or rules of the same fields, decide alone. */
  private readonly known = new Map<Collection, Map<Right, Predicate>>();

  constructor({ role, planned, view, isByFields }: KnownRole, claims: Claims) {
    this.catalogue = view;
    this.isByFields = isByFields;
    this.role = role;
    this.predicateOf = oncePer((rule: Rule) => planned.get(rule)!.predicate(claims));
  }

  rows(collection: Collection, right: Right, named?: ReadonlySet<Field>): Predicate {
    const rules = this.role.rules.get(collection)?.[right] ?? [];
    if (rules.length === 0) throw deniedTable(collection.name, right);
    if (named === undefined || !differInFields(rules)) return this.allRows(collection, right, rules);
    const allowing = rules.filter(({ fields }) => [...named].every((field) => fields.has(field)));
    if (allowing.length === 0) {
      // Those that all rules allow are in nobody's way.
      const apart = [...named].filter((field) => !rules.every(({ fields }) => fields.has(field)));
      throw deniedTogether(collection, apart, right);
    }
    return this.some(allowing);
  }

  private allRows(collection: Collection, right: Right, rules: readonly Rule[]): Predicate {
    const known = this.known.get(collection) ?? new Map<Right, Predicate>();
    this.known.set(collection, known);
    const found = known.get(right) ?? this.some(rules);
    known.set(right, found);
    return found;
  }

  private some(rules: readonly Rule[]): Predicate {
    const terms = rules.map(this.predicateOf);
    if (terms.some(isAlways)) return ALWAYS;
    return terms.length === 1 ? terms[0]! : { kind: 'any', terms };
  }
}

function differInFields(rules: readonly Rule[]): boolean {
  const [first, ...others] = rules;
  return others.some(
    ({ fields }) => fields.size !== first!.fields.size || ![...fields].every((each) => first!.fields.has(each)),
  );
}

/** Both hold. */
export function both(one: Predicate, other: Predicate): Predicate {
  if (isAlways(one)) return other;
  if (isAlways(other) || one === other) return one;
  return { kind: 'all', terms: [one, other] };
}
