/** Validates the roles of a declaration: includes, and rules against the declared collections. */

import { defined } from '../base/defined.ts';
import { unlessThrown } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import { unknownName } from '../base/nearest-name.ts';
import { about, say } from '../base/sentence.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import { canChange } from '../collection/access/roles.ts';
import { CHANGES_NAME, CHANGES_RULES, changesOf } from '../collection/change-log.ts';
import { type Catalogue, type Collection, declareCollection } from '../collection/declaration.ts';
import {
  type CollectionDraft,
  type FieldDraft,
  RIGHTS,
  type Right,
  type RoleDraft,
  type RuleDraft,
} from '../collection/draft.ts';
import type { ChangeWay } from '../collection/types/operations.ts';
import { problemsIn } from '../plan/access/rule.ts';
import { collectionNames } from './comments.ts';
import { translateCondition } from './foreign-conditions.ts';
import { type GivenCollection, type GivenRights, type GivenRole, ROLE, type RULE } from './format.ts';
import { knownNames } from './names.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Given, type Reading, valuesOf } from './reader/shape.ts';

/** The users of the service, which have no rules; a collection `users` may be declared as well. */
const USERS_RULES = ['users', 'catalogue/users'];

type GivenRule = Given<typeof RULE>;

/** A role with what it declares; nothing if it has mistakes, or every right. */
interface DeclaredRole extends Omit<Named<GivenRole>, 'value'> {
  readonly isAll: boolean;
  readonly given: Given<typeof ROLE>;
  readonly named: readonly Named<GivenRights>[];
}

/**
 * Only valid collections have drafts. For the others, and for fields with mistakes, only names are checked. Without a
 * catalogue, paths of references are not.
 */
export function draftRoles(
  declaredRoles: readonly Named<GivenRole>[],
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
  routines: readonly string[],
  catalogue: Catalogue | undefined,
): readonly RoleDraft[] {
  const names = collectionNames(declared, drafts);
  const whole = drafts.filter((draft) => isWhole(draft, declared));
  const roles = declaredRoles.map(({ value, ...role }): DeclaredRole => {
    return { ...role, isAll: value === 'all', given: {}, named: [], ...(value !== 'all' && value) };
  });
  new RoleChecks(roles, drafts).run(routines);
  return roles.map(({ name, isAll, given, named }): RoleDraft => {
    if (isAll) return { name, isAll, rules: [] };
    const manages = named.flatMap((each) => managedIn(each).map((role) => role.value));
    return defined({
      name,
      ...valuesOf(given, 'rateLimit', 'include', 'call'),
      manages: manages.length === 0 ? undefined : manages,
      namesLog: named.some((each) => isLog(each.name, names)) || undefined,
      rules: named.flatMap((each) => draftRules(each, names, whole, catalogue)),
    });
  });
}

function isWhole(draft: CollectionDraft, declared: readonly Named<GivenCollection>[]): boolean {
  const { name, fields, commentsOn } = draft;
  if (commentsOn !== undefined) return true;
  const own = fields.filter(({ translates }) => translates === undefined);
  return declared.some((each) => each.name === name && each.value?.fields?.value.length === own.length);
}

/** The roles whose users a role manages. */
function managedIn({ name, value }: Named<GivenRights>): readonly At<string>[] {
  return USERS_RULES.includes(name) ? (value?.manage?.value ?? []) : [];
}

/** Checks what roles say about one another, and about routines. */
class RoleChecks {
  private readonly names: readonly string[];
  /** Each role with itself and all that it includes at any depth. */
  private readonly reached = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly roles: readonly DeclaredRole[],
    private readonly drafts: readonly CollectionDraft[],
  ) {
    this.names = roles.map(({ name }) => name);
    const included = new Map(roles.map(({ name, given }) => [name, given.include?.value ?? []]));
    for (const name of this.names) {
      const reached = new Set([name]);
      for (const each of reached) for (const { value } of included.get(each) ?? []) reached.add(value);
      this.reached.set(name, reached);
    }
  }

  /** Whether role `from` is role `to`, or includes it at any depth. */
  private reaches(from: string, to: string): boolean {
    return this.reached.get(from)!.has(to);
  }

  run(routines: readonly string[]): void {
    const noun = say`query, action or function`;
    for (const role of this.roles) {
      const { given, reading } = role;
      this.checkIncludes(role);
      this.checkChanges(role);
      knownNames(given.call?.value ?? [], routines, { what: 'call', noun, mayRepeat: true }, reading);
      for (const rights of role.named) this.checkManaged(role, rights);
    }
  }

  private checkIncludes({ name, reading, given }: DeclaredRole): void {
    const included = knownNames(given.include?.value ?? [], this.names, { what: 'include', noun: say`role` }, reading);
    for (const { value: other, at } of included) {
      if (!this.reaches(other, name)) continue;
      addMistake(reading, at, say`include names ${other}, which includes ${name}`);
    }
  }

  /** A role can update or delete only rows that it can read, itself or by an included or including role. */
  private checkChanges({ name, named }: DeclaredRole): void {
    const reads = (role: DeclaredRole, collection: string) =>
      role.isAll || role.named.some((each) => each.name === collection && each.value?.read !== undefined);
    const users = this.roles.filter((each) => this.reaches(each.name, name));
    const usable = this.roles.filter((each) => users.some((user) => this.reaches(user.name, each.name)));
    for (const { name: collection, reading, value: rights } of named) {
      const on = this.drafts.find((each) => each.name === collection)?.commentsOn;
      if (on !== undefined && !usable.some((each) => reads(each, on))) {
        addMistake(reading, reading.at, say`${name} may not read ${on}, so it has no comments on its rows; add read`);
      }
      for (const right of ['update', 'delete'] as const) {
        const entry = rights?.[right];
        if (entry === undefined || usable.some((each) => reads(each, collection))) continue;
        const problem =
          right === 'update'
            ? say`${name} may not read ${collection}, so it can update no rows; add read`
            : say`${name} may not read ${collection}, so it can delete no rows; add read`;
        addMistake(reading, entry.at, about(right, problem));
      }
    }
  }

  /** Nobody gets every right by the users that a role creates. */
  private checkManaged({ name: manager }: DeclaredRole, rights: Named<GivenRights>): void {
    const { name, reading, value: { manage } = {} } = rights;
    if (manage !== undefined && !USERS_RULES.includes(name))
      addMistake(reading, manage.at, say`manage is for users: users: { manage: [role] }`);
    else if (manage !== undefined && manager === ANONYMOUS.role)
      addMistake(reading, manage.at, say`requests without credentials cannot manage users`);
    const known = knownNames(
      managedIn(rights),
      this.names,
      { what: 'manage', noun: say`role`, mayRepeat: true },
      reading,
    );
    for (const { value: role, at } of known) {
      const isAll = this.roles.some((each) => each.isAll && this.reaches(role, each.name));
      if (isAll) addMistake(reading, at, say`manage names ${role}, which has every right`);
    }
  }
}

function draftRules(
  { name, reading, value }: Named<GivenRights>,
  names: readonly string[],
  drafts: readonly CollectionDraft[],
  catalogue: Catalogue | undefined,
): readonly RuleDraft[] {
  const isOfLog = isLog(name, names);
  if (!names.includes(name) && USERS_RULES.includes(name) && value?.manage !== undefined) {
    const [other] = RIGHTS.flatMap((right) => value[right] ?? []);
    if (other !== undefined) addMistake(reading, other.at, say`${name} takes only manage: no collection has this name`);
    return [];
  }
  if (!names.includes(name) && !isOfLog) {
    const known = [...names, CHANGES_NAME, ...Object.keys(ROLE)];
    addMistake(reading, reading.at, unknownName(say`collection`, name, known));
    return [];
  }
  const draft = isOfLog ? changesOf(new Map()).draft : drafts.find((each) => each.name === name);
  return RIGHTS.flatMap((right) => {
    const entry = value?.[right];
    if (entry === undefined || draft === undefined) return [];
    if (isOfLog && right !== 'read') {
      addMistake(reading, entry.at, about(right, say`${name} is the log of changes, which can only be read`));
      return [];
    }
    const where = checkedWhere(draft, entry.value, reading, isOfLog ? undefined : catalogue);
    const fields = checkedFields(draft, right, entry, reading);
    const operations = right === 'update' ? checkedOperations(draft, value!.update!.value, reading) : undefined;
    return defined({ collection: isOfLog ? CHANGES_RULES : name, right, where, fields, operations });
  });
}

/** Whether a name in a role means the log. A declared collection of that name hides it. */
function isLog(name: string, declared: readonly string[]): boolean {
  return name === CHANGES_RULES || (name === CHANGES_NAME && !declared.includes(name));
}

/** Declares a collection. Returns undefined if it has mistakes, which are already recorded. */
const collectionOf = memoize((draft: CollectionDraft): Collection | undefined =>
  unlessThrown(() => declareCollection(draft)),
);

/** Plans the conditions like those of a request; an error there is a mistake here. */
export function checkedWhere(
  draft: CollectionDraft,
  { where }: Pick<GivenRule, 'where'>,
  reading: Reading,
  catalogue: Catalogue | undefined,
): string | undefined {
  const collection = catalogue?.collections.get(draft.name) ?? collectionOf(draft);
  if (where === undefined || collection === undefined) return where?.value;
  for (const error of problemsIn(collection, where.value)) {
    const isUnread = error.code === 'PGRST100' && error.details !== null;
    const problem = isUnread ? error.withDetails() : error.wordings.message;
    const more = isUnread ? translateCondition(where.value) : error.suggestion;
    addMistake(reading, where.at, about('where', more === undefined ? problem : say`${problem}; ${more}`));
  }
  return where.value;
}

function checkedFields(
  draft: CollectionDraft,
  right: Right,
  { value: { fields } }: At<GivenRule>,
  reading: Reading,
): readonly string[] | undefined {
  if (fields === undefined) return undefined;
  const names = draft.fields.map((field) => field.name);
  const fieldNames: string[] = [];
  const isWritten = right === 'create' || right === 'update';
  const isReadOnly = (name: string) => draft.fields.some((field) => field.name === name && field.readOnly === true);
  for (const { value: name, at } of fields.value) {
    if (!names.includes(name)) addMistake(reading, at, about(right, unknownName(say`field`, name, names)));
    else if (fieldNames.includes(name)) addMistake(reading, at, about(right, say`fields names ${name} twice`));
    else if (isWritten && isReadOnly(name)) addMistake(reading, at, about(right, say`${name} can only be read`));
    fieldNames.push(name);
  }
  const missing = needed(draft, right).filter((name) => !fieldNames.includes(name));
  const listed = missing.join(', ');
  const problem =
    right === 'read'
      ? say`fields must hold ${listed}, which identifies rows`
      : say`fields must hold ${listed}, which every new row needs`;
  if (missing.length > 0) addMistake(reading, fields.at, about(right, problem));
  return fieldNames;
}

/** Each field must take one of the operations. */
function checkedOperations(
  draft: CollectionDraft,
  { fields, operations }: NonNullable<GivenRights['update']>['value'],
  reading: Reading,
): readonly ChangeWay[] | undefined {
  const ways = operations?.value.map(({ value }) => value);
  if (ways === undefined) return undefined;
  if (ways.length === 0)
    addMistake(reading, operations!.at, about('update', say`operations is empty, so nothing can change`));
  for (const { value: name, at } of fields?.value ?? []) {
    const field = collectionOf(draft)?.byName.get(name);
    if (field === undefined || ways.some((way) => canChange(field, way))) continue;
    const possible = ['set', ...(field.type.operations?.names ?? [])].join(', ');
    addMistake(reading, at, about('update', say`${name} takes none of these operations; possible: ${possible}`));
  }
  return ways;
}

/** The fields that a role needs. */
function needed(draft: CollectionDraft, right: Right): readonly string[] {
  if (right === 'read') return draft.key;
  if (right !== 'create') return [];
  const assigned = collectionOf(draft)?.assigned;
  return draft.fields.filter((field) => isGiven(draft, field) && field.name !== assigned?.name).map(({ name }) => name);
}

function isGiven({ key }: CollectionDraft, { name, required, default: value, filled, readOnly }: FieldDraft): boolean {
  return (required === true || key.includes(name)) && value === undefined && !filled && readOnly !== true;
}
