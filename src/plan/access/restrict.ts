/**
 * Applies the rules of the caller's role to a plan. Rows that the role may not read are excluded wherever a collection
 * is read: the read itself, embeddings at any depth, and predicates, order or groups that depend on them. Writes touch
 * and create only permitted rows. `read.ts` and `write.ts` call it for every plan, so no later stage can forget it.
 */

import { memoize } from '../../base/memo.ts';
import { type Collection, type Field, stored } from '../../collection/declaration.ts';
import type { Relation } from '../../collection/relations.ts';
import type { ChangeWay } from '../../collection/types/operations.ts';
import { PlanMap } from '../map-plan.ts';
import { wholeRow } from '../read/shape.ts';
import { ALWAYS, isAlways, type Predicate, type ReadPlan } from '../types.ts';
import {
  type Assignment,
  type InsertPlan,
  isOperation,
  type Restriction,
  type UpdateEachPlan,
  type UpdatePlan,
  type WritePlan,
} from '../write-plan.ts';
import { namedFields } from './named-fields.ts';
import { andAlso, type Permissions } from './permissions.ts';

export function restrictRead(plan: ReadPlan, permissions: Permissions): ReadPlan {
  return readAccessOf(plan, permissions).read(plan);
}

/** `view` is the written collection as the role sees it. */
export function restrictWrite(plan: WritePlan, view: Collection, permissions: Permissions): WritePlan {
  const { into, returning, preconditions } = plan;
  const readAccess = readAccessOf(plan, permissions);
  const readableRows = () => readAccess.rowsOf(into);
  const shown =
    returning === undefined
      ? {}
      : { returning: { ...readAccess.shape(returning), where: readAccess.predicate(returning.where) } };
  const versions =
    preconditions === undefined
      ? {}
      : {
          preconditions: preconditions.map((each) => {
            return { ...each, seen: { columns: wholeRow(view), where: readableRows() } };
          }),
        };
  const terms = { ...shown, ...versions };
  switch (plan.kind) {
    case 'insert': {
      const created = permissions.rows(into, 'create', new Set(plan.given));
      const merges = plan.conflict !== 'refuse' && plan.conflict.overwrite.length > 0;
      const met = merges
        ? andAlso(readableRows(), permissions.rows(into, 'update', overwrittenBy(plan), SETS))
        : ALWAYS;
      const newRows = returning === undefined ? created : andAlso(readableRows(), created);
      return { ...plan, ...terms, ...restrictionOf({ met, created: newRows, changed: met }) };
    }
    case 'update': {
      const rows = andAlso(readableRows(), permissions.rows(into, 'update', new Set(plan.given), changeWays(plan)));
      return {
        ...plan,
        ...terms,
        where: andAlso(rows, readAccess.predicate(plan.where)),
        ...restrictionOf({ changed: rows }),
      };
    }
    case 'update-each': {
      const rows = andAlso(readableRows(), permissions.rows(into, 'update', new Set(plan.given), changeWays(plan)));
      const among = plan.among === undefined ? {} : { among: readAccess.predicate(plan.among) };
      return { ...plan, ...terms, ...among, ...restrictionOf({ met: rows, changed: rows }) };
    }
    case 'delete': {
      const rows = andAlso(readableRows(), permissions.rows(into, 'delete'));
      return { ...plan, ...terms, where: andAlso(rows, readAccess.predicate(plan.where)) };
    }
  }
}

function restrictionOf(predicates: { readonly [Name in keyof Restriction]?: Predicate }): {
  restriction?: Restriction;
} {
  const needed = Object.entries(predicates).filter(([, predicate]) => !isAlways(predicate));
  return needed.length === 0 ? {} : { restriction: Object.fromEntries(needed) };
}

/** Without the fields that the service sets itself, such as the time of the change. */
function overwrittenBy({ given, conflict }: InsertPlan): ReadonlySet<Field> {
  return new Set(conflict === 'refuse' ? [] : given.filter((field) => conflict.overwrite.includes(field)));
}

/**
 * If rules differ by field, each plan is restricted separately; otherwise all plans of a caller share the cached
 * result.
 */
function readAccessOf(plan: ReadPlan | WritePlan, permissions: Permissions): ReadAccess {
  return permissions.differByField ? new ReadAccess(permissions, namedFields(plan)) : sharedReadAccess(permissions);
}

const sharedReadAccess = memoize((permissions: Permissions) => new ReadAccess(permissions));

class ReadAccess extends PlanMap {
  constructor(
    private readonly permissions: Permissions,
    private readonly named?: ReadonlyMap<Collection, ReadonlySet<Field>>,
  ) {
    super();
  }

  rowsOf(collection: Collection): Predicate {
    const of = stored(collection);
    return this.permissions.rows(of, 'read', this.named?.get(of));
  }

  protected override rows({ from, where }: Pick<ReadPlan, 'from' | 'where'>): Predicate {
    return andAlso(this.rowsOf(from), this.predicate(where));
  }

  /** The rows of a join collection are restricted as well. */
  protected override between({ through }: Relation): Predicate | undefined {
    const rows = through === undefined ? ALWAYS : this.rowsOf(through.collection);
    return isAlways(rows) ? undefined : rows;
  }
}

const SETS: ReadonlySet<ChangeWay> = new Set(['set']);

function changeWays(plan: UpdatePlan | UpdateEachPlan): ReadonlySet<ChangeWay> {
  const assignments = plan.kind === 'update' ? plan.set : plan.changes.flatMap(({ set }) => set);
  return new Set(assignments.filter(({ field }) => plan.given.includes(field)).map(wayOf));
}

/** To increment by a negative number is to decrement, and the reverse. */
function wayOf(assignment: Assignment): ChangeWay {
  if (!isOperation(assignment)) return 'set';
  const { operation, operand } = assignment;
  const isNegative = String(operand).startsWith('-');
  if (isNegative && operation === 'increment') return 'decrement';
  return isNegative && operation === 'decrement' ? 'increment' : operation;
}
