/** Undo: plans the inverse of logged changes as ordinary writes of the caller. */
import { ApiError } from '../../base/errors.ts';
import { allReferences, type Collection, type Field, fieldsOf, stored } from '../../collection/declaration.ts';
import { relationsOf } from '../../collection/relations.ts';
import type { Permissions } from '../access/permissions.ts';
import { restrictWrite } from '../access/restrict.ts';
import { atMoment } from '../at-moment.ts';
import { checkRules, coerce } from '../coerce.ts';
import { fieldExpression, type Key, keyIs } from '../resolve.ts';
import { ALWAYS, type Predicate } from '../types.ts';
import type { Assignment, StoredRow, WritePlan } from '../write-plan.ts';
import { resolveColumns } from './stored-rows.ts';

/** A change as the caller sees it. */
export interface LoggedChange {
  readonly seq: number;
  /** The collection of the row, as the caller sees it. */
  readonly collection: Collection;
  /** The text of the key in the log, and its values. */
  readonly key: string;
  readonly values: Key;
  readonly kind: 'insert' | 'update' | 'delete';
  readonly before: Cells | null;
  readonly after: Cells | null;
}

type Cells = Readonly<Record<string, unknown>>;

/** Successive changes of one kind to different rows of a collection: one write reverts them all. */
export type Revert = readonly [LoggedChange, ...LoggedChange[]];

/** A longer list of composite keys would exceed a limit of the database. */
const ROWS_PER_WRITE = 500;

/** `changes` come in the order in which they are reverted. */
export function groupReverts(changes: readonly LoggedChange[]): readonly Revert[] {
  const reverts: [LoggedChange, ...LoggedChange[]][] = [];
  let keys = new Set<string>();
  for (const change of changes) {
    const [last] = reverts.at(-1) ?? [];
    const isAlike = last?.collection === change.collection && last.kind === change.kind && !keys.has(change.key);
    if (isAlike && keys.size < ROWS_PER_WRITE && !isOrdered(change)) reverts.at(-1)!.push(change);
    else {
      reverts.push([change]);
      keys = new Set();
    }
    keys.add(change.key);
  }
  return reverts;
}

/** Rows are reverted one by one if a delete may cascade within the collection, or a unique value move between rows. */
function isOrdered({ collection, kind, before }: LoggedChange): boolean {
  const { name, unique } = stored(collection);
  const isUnique = (each: string) => unique.some(({ fields }) => fields.some((field) => field.name === each));
  if (kind === 'update') return Object.keys(before!).some(isUnique);
  return kind === 'insert' && allReferences(stored(collection)).some(({ to }) => to === name);
}

/** Undefined if nothing that the service writes has changed. Throws 42501 for a field that the caller may not write. */
export function planRevert(revert: Revert, permissions: Permissions | undefined): WritePlan | undefined {
  const plan = planUnrestricted(revert);
  if (plan === undefined || permissions === undefined) return plan;
  return atMoment(restrictWrite(plan, revert[0].collection, permissions), Date.now());
}

function planUnrestricted(revert: Revert): WritePlan | undefined {
  const [{ collection, kind }] = revert;
  const into = stored(collection);
  const terms = { into, singular: false, mustExist: false };
  switch (kind) {
    case 'insert': {
      const where: Predicate = { kind: 'all', terms: [keysAre(revert), ...unreferenced(revert)] };
      return { kind: 'delete', ...terms, where, affects: revert.length };
    }
    case 'delete': {
      const given = resolveColumns(collection, 'create', namesToWrite(into, into.fields));
      return { kind: 'insert', ...terms, rows: revert.map(restoredRow), given, conflict: 'refuse' };
    }
    case 'update': {
      const changes = revert.map((change) => ({ key: change.values, set: restoredFields(change) }));
      const written = changes.filter(({ set }) => set.length > 0);
      const names = new Set(
        written.flatMap(({ set }) =>
          namesToWrite(
            into,
            set.map(({ field }) => field),
          ),
        ),
      );
      const given = resolveColumns(collection, 'update', [...names]);
      if (written.length === 0) return undefined;
      return { kind: 'update-each', ...terms, by: into.key, ignoresMissing: false, changes: written, given };
    }
  }
}

/** The kind of change that reverts a change, and the right that it needs. */
export const INVERSE = { insert: 'delete', update: 'update', delete: 'insert' } as const;
const RIGHT_OF = { insert: 'delete', update: 'update', delete: 'create' } as const;

/** Throws 42501 if the caller may revert no change of this kind to the collection. */
export function checkMayRevert(collection: Collection, kind: LoggedChange['kind'], permissions: Permissions): void {
  permissions.rows(stored(collection), RIGHT_OF[kind]);
  if (kind === 'delete') checkReadsAll(collection);
}

/** Whether a later change of the row sets it back to what it was before the change. */
export function reverts(later: LoggedChange, { kind, collection, before, after }: LoggedChange): boolean {
  if (later.kind !== INVERSE[kind]) return false;
  const isSame = (one: Cells, other: Cells, fields: readonly Field[]) =>
    fields.every(({ name }) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null));
  if (kind === 'update') {
    const fields = collection.fields.filter((field) => isRestored(field, before!));
    return isSame(later.after!, before!, fields) && isSame(later.before!, after!, fields);
  }
  const written = collection.fields.filter(({ generated }) => generated === undefined);
  return kind === 'insert' || isSame(later.after!, before!, written);
}

/** The rows of these changes. */
export function keysAre(changes: Revert): Predicate {
  const collection = stored(changes[0].collection);
  const [field, ...others] = collection.key;
  if (others.length > 0) return { kind: 'any', terms: changes.map(({ values }) => keyIs(collection, values)) };
  return { kind: 'in', of: fieldExpression(field!), values: changes.map(({ values }) => values[0]!) };
}

/** A delete must not reach other rows through their references. A restricting reference rejects it anyway. */
function unreferenced(revert: Revert): readonly Predicate[] {
  const [{ collection }] = revert;
  const into = stored(collection);
  const referring = relationsOf(collection).filter(({ to, inner, referring: field, through }) => {
    const reference = allReferences(to).find((each) => fieldsOf(each)[0] === inner && each.to === into.name);
    return through === undefined && field === inner && reference !== undefined && reference.onDelete !== 'restrict';
  });
  return referring.map((relation) => {
    const where: Predicate = relation.to === into ? { kind: 'not', term: keysAre(revert) } : ALWAYS;
    return { kind: 'not', term: { kind: 'exists', relation, where } };
  });
}

/** The names of the fields that the caller needs the right to write. The service itself wrote the others. */
function namesToWrite({ assigned }: Collection, fields: readonly Field[]): readonly string[] {
  const isOwn = (field: Field) =>
    field.readOnly || field.onUpdate !== undefined || field.generated !== undefined || field === assigned;
  return fields.filter((field) => !isOwn(field)).map(({ name }) => name);
}

function restoredRow({ collection, before }: LoggedChange): StoredRow {
  checkReadsAll(collection);
  return stored(collection).fields.map((field) => valueIn(collection, field, before!));
}

function checkReadsAll(collection: Collection): void {
  const into = stored(collection);
  if (collection.fields.length === into.fields.length) return;
  throw new ApiError('42501', `permission denied for table ${into.name}`, {
    hint: 'Only a role that reads all fields can restore a deleted row.',
  });
}

function restoredFields({ collection, before }: LoggedChange): readonly Assignment[] {
  return collection.fields
    .filter((field) => isRestored(field, before!))
    .map((field) => ({ field, value: valueIn(collection, field, before!) }));
}

/** The database computes a read-only field, unless it is a time that the service sets. */
function isRestored({ name, readOnly, onUpdate }: Field, before: Cells): boolean {
  return Object.hasOwn(before, name) && (!readOnly || onUpdate !== undefined);
}

function valueIn(collection: Collection, field: Field, cells: Cells) {
  const value = coerce(field, cells[field.name] ?? null);
  checkRules(stored(collection), field, value);
  return value;
}
