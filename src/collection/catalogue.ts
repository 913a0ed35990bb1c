/**
 * A catalogue: its collections, their fields, types, keys, references and rules, and who may do what with them. A plain value
 * that every stage receives as an argument; no stage reaches for a particular collection.
 */
import type { Rate } from '../rate.ts';
import type { CatalogueDraft, CollectionDraft, OnDelete, Right } from './draft.ts';
import type { Type } from './types/type.ts';
import type { Value } from './value.ts';

export interface Field {
  readonly name: string;
  readonly type: Type;
  /** What the field holds, in a sentence for people: shown in the API's description. */
  readonly title?: string;
  readonly description?: string;
  /** What the field means to people, beyond its type: the console's overview and search go by it. */
  readonly role?: string;
  /** A required field is never null; without a default it must be given on creation. */
  readonly required: boolean;
  /** What it holds where nothing is given: a value, or one that is made at the time. */
  readonly default?: Value;
  readonly generated?: 'now' | 'uuid';
  /** Set by every write that changes the row. */
  readonly onUpdate?: 'now';
  /** Never written by clients; of a table that something else made. */
  readonly readOnly: boolean;
  /** Where nothing is given, the database fills it in; of a table that something else made. */
  readonly filled: boolean;
  /** Clients often filter or sort by it: an index keeps that quick in a large catalogue. */
  readonly indexed: boolean;
  readonly rules: Rules;
  /** The most bytes that the text form of a value may have; what was stored before, or by others, may be longer. */
  readonly maxBytes: number;
}

/** What a value must be, beyond its type. */
export interface Rules {
  readonly minimum?: Value;
  readonly maximum?: Value;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly Value[];
}

export interface Reference {
  /** The constraint, as PostgreSQL calls it: `products_category_id_fkey`. */
  readonly name: string;
  readonly field: Field;
  /** The collection that it refers to, by its key. */
  readonly to: string;
  readonly onDelete: OnDelete;
}

export interface Collection {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** In the order in which a row shows them. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The fields that identify a row. */
  readonly key: readonly Field[];
  /** The key, if the service assigns it when it is absent (`isAssigned`). */
  readonly assigned: Field | undefined;
  /** Sets of fields that are unique together, beside the key. */
  readonly unique: readonly Unique[];
  readonly references: readonly Reference[];
  /** All collections of its catalogue, by their names. */
  readonly among: ReadonlyMap<string, Collection>;
  readonly draft: CollectionDraft;
  /** Present where it is a collection as a role sees it, with fewer fields, references and neighbours. */
  readonly view?: View;
}

export interface View {
  readonly role: string;
  /** The collection itself, of which the database holds the rows. */
  readonly of: Collection;
  /** What the role may do here at all. */
  readonly rights: readonly Right[];
  /** Whether it reads every row, and every field. */
  readonly readsAll: boolean;
  /** The same collection with the fields that the role may give a new row, and those that it may change. */
  readonly creates?: Collection;
  readonly updates?: Collection;
}

export interface Unique {
  /** The constraint, as PostgreSQL calls it: `products_sku_key`. */
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface Catalogue {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly draft: CatalogueDraft;
  /** By their names; absent where whoever reaches the service may do all. */
  readonly roles?: ReadonlyMap<string, Role>;
  /** As a role sees it: the names of collections with which it may do nothing. */
  readonly closed?: ReadonlySet<string>;
}

export interface Role {
  readonly name: string;
  /** It may do all with everything, and has no rules. */
  readonly isAll: boolean;
  /** How often each of its callers may come, where it says so. */
  readonly rate?: Rate;
  /** Its own and those of the roles that it includes, by collection. */
  readonly rules: ReadonlyMap<Collection, RightsRules>;
}

export type RightsRules = Readonly<Record<Right, readonly Rule[]>>;

/** What a role may do with some rows, and some of their fields. */
export interface Rule {
  /** Conditions in the dialect; absent: every row. */
  readonly where?: string;
  readonly fields: ReadonlySet<Field>;
}
