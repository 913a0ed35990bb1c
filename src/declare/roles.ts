/** Validates the roles of a declaration: includes, and rules against the declared collections. */

import { defined } from '../base/defined.ts';
import { memoize } from '../base/memo.ts';
import { didYouMean } from '../base/nearest-name.ts';
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
import { translateCondition } from './foreign-conditions.ts';
import { type GivenCollection, type GivenRights, type GivenRole, ROLE, type RULE } from './format.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Given, type Reading } from './reader/shape.ts';

/** The users of the service, which have no rules; a collection `users` may be declared as well. */
const USERS_RULES = ['users', 'catalogue/users'];

type GivenRule = Given<typeof RULE>;

/**
 * Only valid collections have drafts. For the others, and for fields with mistakes, only names are checked. Without a
 * catalogue, paths of references are not.
 */
export function draftRoles(
  roles: readonly Named<GivenRole>[],
  declared: readonly Named<GivenCollection>[],
  drafts: readonly CollectionDraft[],
  routines: readonly string[],
  catalogue: Catalogue | undefined,
): readonly RoleDraft[] {
  const names = declared.map(({ name }) => name);
  const whole = drafts.filter((draft) => isWhole(draft, declared));
  checkIncludes(roles);
  checkChanges(roles);
  checkCalls(roles, routines);
  checkManaged(roles);
  return roles.map(({ name, value }): RoleDraft => {
    if (value === undefined) return { name, rules: [] };
    if (value === 'all') return { name, isAll: true, rules: [] };
    const include = value.given.include?.value.map((each) => each.value) ?? [];
    const rules = value.named.flatMap((each) => draftRules(each, names, whole, catalogue));
    const rateLimit = value.given.rateLimit?.value;
    const call = value.given.call?.value.map((each) => each.value);
    const namesLog = value.named.some((each) => isLog(each.name, names)) || undefined;
    const manages = value.named.flatMap((each) => managedIn(each).map((role) => role.value));
    return defined({
      name,
      rateLimit,
      include: include.length === 0 ? undefined : include,
      call,
      manages: manages.length === 0 ? undefined : manages,
      namesLog,
      rules,
    });
  });
}

function isWhole({ name, fields }: CollectionDraft, declared: readonly Named<GivenCollection>[]): boolean {
  return declared.some((each) => each.name === name && each.value?.fields?.value.length === fields.length);
}

function checkIncludes(roles: readonly Named<GivenRole>[]): void {
  const names = roles.map(({ name }) => name);
  const included = new Map(roles.map(({ name, value }) => [name, includedBy(value)]));
  for (const { name, reading, value } of roles) {
    const listed: string[] = [];
    for (const { value: other, at } of includedBy(value)) {
      if (!names.includes(other))
        addMistake(reading, at, `include names ${other}, which is not a role${didYouMean(other, names)}`);
      else if (listed.includes(other)) addMistake(reading, at, `include names ${other} twice`);
      else if (reaches(included, other, name))
        addMistake(reading, at, `include names ${other}, which includes ${name}`);
      listed.push(other);
    }
  }
}

function checkCalls(roles: readonly Named<GivenRole>[], routines: readonly string[]): void {
  for (const { reading, value } of roles) {
    if (value === undefined || value === 'all') continue;
    for (const { value: name, at } of value.given.call?.value ?? []) {
      if (routines.includes(name)) continue;
      addMistake(
        reading,
        at,
        `call names ${name}, which is not a query, action or function${didYouMean(name, routines)}`,
      );
    }
  }
}

/** The roles whose users a role manages. */
function managedIn({ name, value }: Named<GivenRights>): readonly At<string>[] {
  return USERS_RULES.includes(name) ? (value?.manage?.value ?? []) : [];
}

/** Nobody gets every right by the users that a role creates. */
function checkManaged(roles: readonly Named<GivenRole>[]): void {
  const names = roles.map(({ name }) => name);
  const included = new Map(roles.map(({ name, value }) => [name, includedBy(value)]));
  const isAll = (role: string) => roles.some(({ name, value }) => value === 'all' && reaches(included, role, name));
  for (const { name: manager, value } of roles) {
    if (value === undefined || value === 'all') continue;
    for (const each of value.named) {
      const { reading } = each;
      const { manage } = each.value ?? {};
      if (manage !== undefined && !USERS_RULES.includes(each.name))
        addMistake(reading, manage.at, 'manage is for users: users: { manage: [role] }');
      else if (manage !== undefined && manager === ANONYMOUS.role)
        addMistake(reading, manage.at, 'requests without credentials cannot manage users');
      for (const { value: role, at } of managedIn(each)) {
        if (!names.includes(role))
          addMistake(reading, at, `manage names ${role}, which is not a role${didYouMean(role, names)}`);
        else if (isAll(role)) addMistake(reading, at, `manage names ${role}, which has every right`);
      }
    }
  }
}

function includedBy(role: GivenRole | undefined): readonly At<string>[] {
  return role === undefined || role === 'all' ? [] : (role.given.include?.value ?? []);
}

/** Whether role `from` is role `to`, or includes it at any depth. */
function reaches(included: ReadonlyMap<string, readonly At<string>[]>, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const name of reached) for (const { value } of included.get(name) ?? []) reached.add(value);
  return reached.has(to);
}

/** A role can update or delete only rows that it can read, itself or by an included or including role. */
function checkChanges(roles: readonly Named<GivenRole>[]): void {
  const included = new Map(roles.map(({ name, value }) => [name, includedBy(value)]));
  const reads = (name: string, collection: string) =>
    roles
      .filter((each) => reaches(included, name, each.name))
      .some(({ value }) => value === 'all' || readBy(value).includes(collection));
  for (const { name, value } of roles) {
    if (value === undefined || value === 'all') continue;
    const users = roles.filter((each) => reaches(included, each.name, name));
    for (const { name: collection, reading, value: rights } of value.named) {
      for (const right of ['update', 'delete'] as const) {
        const entry = rights?.[right];
        if (entry === undefined || users.some((user) => reads(user.name, collection))) continue;
        addMistake(
          reading,
          entry.at,
          `${right}: ${name} may not read ${collection}, so it can ${right} no rows; add read`,
        );
      }
    }
  }
}

function readBy(role: GivenRole | undefined): readonly string[] {
  if (role === undefined || role === 'all') return [];
  return role.named.filter(({ value }) => value?.read !== undefined).map(({ name }) => name);
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
    if (other !== undefined) addMistake(reading, other.at, `${name} takes only manage: no collection has this name`);
    return [];
  }
  if (!names.includes(name) && !isOfLog) {
    const known = [...names, CHANGES_NAME, ...Object.keys(ROLE)];
    addMistake(reading, reading.at, `unknown collection ${name}${didYouMean(name, known)}`);
    return [];
  }
  const draft = isOfLog ? changesOf(new Map()).draft : drafts.find((each) => each.name === name);
  return RIGHTS.flatMap((right) => {
    const entry = value?.[right];
    if (entry === undefined || draft === undefined) return [];
    if (isOfLog && right !== 'read') {
      addMistake(reading, entry.at, `${right}: ${name} is the log of changes, which can only be read`);
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
const collectionOf = memoize((draft: CollectionDraft): Collection | undefined => {
  try {
    return declareCollection(draft);
  } catch {
    return undefined;
  }
});

/** Plans the conditions like those of a request; an error there is a mistake here. */
export function checkedWhere(
  draft: CollectionDraft,
  { where }: Pick<GivenRule, 'where'>,
  reading: Reading,
  catalogue: Catalogue | undefined,
): string | undefined {
  const collection = catalogue?.collections.get(draft.name) ?? collectionOf(draft);
  if (where === undefined || collection === undefined) return where?.value;
  for (const { code, message, details, suggestion } of problemsIn(collection, where.value)) {
    const isUnread = code === 'PGRST100' && details !== null;
    const more = isUnread ? [details, translateCondition(where.value)] : [suggestion];
    addMistake(reading, where.at, `where: ${[message, ...more.filter((each) => each != null)].join('; ')}`);
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
  for (const { value: name, at } of fields.value) {
    const isWritten = right === 'create' || right === 'update';
    if (!names.includes(name)) addMistake(reading, at, `${right}: unknown field ${name}${didYouMean(name, names)}`);
    else if (fieldNames.includes(name)) addMistake(reading, at, `${right}: fields names ${name} twice`);
    else if (isWritten && isReadOnly(draft, name)) addMistake(reading, at, `${right}: ${name} can only be read`);
    fieldNames.push(name);
  }
  const missing = needed(draft, right).filter((name) => !fieldNames.includes(name));
  if (missing.length > 0)
    addMistake(reading, fields.at, `${right}: fields must hold ${missing.join(', ')}${reasonFor(right)}`);
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
  if (ways.length === 0) addMistake(reading, operations!.at, 'update: operations is empty, so nothing can change');
  for (const { value: name, at } of fields?.value ?? []) {
    const field = collectionOf(draft)?.byName.get(name);
    if (field === undefined || ways.some((way) => canChange(field, way))) continue;
    const possible = ['set', ...(field.type.operations?.names ?? [])].join(', ');
    addMistake(reading, at, `update: ${name} takes none of these operations; possible: ${possible}`);
  }
  return ways;
}

function reasonFor(right: Right): string {
  return right === 'read' ? ', which identifies rows' : ', which every new row needs';
}

function isReadOnly({ fields }: CollectionDraft, name: string): boolean {
  return fields.find((field) => field.name === name)?.readOnly === true;
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
