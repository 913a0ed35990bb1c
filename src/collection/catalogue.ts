/** A catalogue: collections and roles, as a plain value that every stage receives as an argument. */

import type { Rate } from '../base/net/rate.ts';
import type { Language } from '../text/words/languages.ts';
import type {
  ActionEntryDraft,
  BodyType,
  CatalogueDraft,
  CollectionDraft,
  FieldDraft,
  OnDelete,
  Right,
} from './draft.ts';
import type { Computed } from './expression/expression.ts';
import type { ChangeWay } from './types/operations.ts';
import type { Type } from './types/type.ts';
import type { Value } from './value.ts';

export interface Field extends Pick<FieldDraft, 'name' | 'title' | 'description' | 'role' | 'onUpdate' | 'isAuthor'> {
  readonly type: Type;
  /** A required field is never null. Without a default, an insert must supply it. */
  readonly required: boolean;
  /** The value of an insert that does not supply one. */
  readonly default?: Value;
  readonly generated?: 'now' | 'uuid';
  /** An insert that does not supply it copies a field of the row that the reference `by` leads to. */
  readonly copies?: { readonly by: string; readonly field: string };
  /** The expression that computes it from other fields of the row. */
  readonly computed?: Computed;
  /** Clients cannot write it: it is computed, or a column of an adopted table. */
  readonly readOnly: boolean;
  /** The database supplies the value if an insert does not; `trigger`: a trigger may. */
  readonly filled: boolean | 'trigger';
  /** Has an index, because clients often filter or sort by it. */
  readonly indexed: boolean;
  readonly rules: Rules;
  /** Rules for the file that the field holds. */
  readonly file?: FileRules;
  /** The table whose rows a function of this name takes to compute the value. */
  readonly computedOf?: string;
  /** The fields with the text in other languages, by language. */
  readonly translations?: ReadonlyMap<string, Field>;
  /** The maximum length in bytes of a value's text form. Older or foreign rows may exceed it. */
  readonly maxBytes: number;
}

/** Constraints on a file: `image/*` allows every image. */
export type FileRules = Pick<FieldDraft, 'mediaTypes' | 'maxBytes' | 'keepMetadata'>;

/** Constraints on a value beyond its type. */
export interface Rules {
  readonly minimum?: Value;
  readonly maximum?: Value;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly Value[];
  /** The maximum number of elements of a list. */
  readonly maxCount?: number;
}

export interface Reference {
  /** The constraint name, as in PostgreSQL: `products_category_id_fkey`. */
  readonly name: string;
  readonly field: Field;
  /** The referenced collection; the reference is to its key. */
  readonly to: string;
  readonly onDelete: OnDelete;
  /** Whether a reference to its own collection may lead back to the row itself. */
  readonly circles?: boolean;
}

/** A reference of several fields. They are in the order of the key that they refer to. */
export interface Composite extends Omit<Reference, 'field'> {
  readonly fields: readonly Field[];
}

/** A reference to any fields of a collection, for embedding only. */
export interface Link extends Pick<Composite, 'name' | 'fields' | 'to'> {
  /** The names of the fields there. */
  readonly targets: readonly string[];
}

/** A function of a row that returns rows of a collection. */
export interface ComputedReference {
  readonly name: string;
  readonly to: string;
  readonly many: boolean;
}

export interface Collection extends Pick<CollectionDraft, 'name' | 'title' | 'description'> {
  /** In output order. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The fields that identify a row; empty for an adopted view or table without a key. */
  readonly key: readonly Field[];
  /** The key, if the service assigns it when it is absent (`isAssigned`). */
  readonly assigned: Field | undefined;
  /** Unique sets of fields other than the key. */
  readonly unique: readonly Unique[];
  readonly references: readonly Reference[];
  readonly composites: readonly Composite[];
  /** References by the elements of a list. No constraint enforces them. */
  readonly lists: readonly Reference[];
  readonly links: readonly Link[];
  /** Fields that functions compute, by name. They are not part of `*`. */
  readonly computed: ReadonlyMap<string, Field>;
  /** Functions that return related rows. */
  readonly computedReferences: readonly ComputedReference[];
  /** All collections of the catalogue by name. */
  readonly among: ReadonlyMap<string, Collection>;
  /** The zone in which days begin, for `today` in filters and rules. */
  readonly timeZone: string;
  /** The declared search by words. */
  readonly search?: Search | undefined;
  readonly draft: CollectionDraft;
  /** Present if this is the view of a role, with fewer fields, references and neighbours. */
  readonly view?: View;
}

export interface Search {
  readonly language: Language;
  readonly fields: readonly SearchField[];
}

/** A text that is searched: a field of the row, or of the row that a reference leads to. */
export interface SearchField {
  /** As declared: `name` or `brand.name`. */
  readonly name: string;
  readonly weight: number;
  readonly field: Field;
  /** The reference, its collection, and the name of the key there. */
  readonly by?: { readonly field: Field; readonly to: string; readonly key: string };
  /** The language of word forms. */
  readonly language: Language;
  /** Set if it is the text in another language: the translation or, where there is none, the field. */
  readonly translation?: { readonly tag: string; readonly field: Field };
}

export interface View {
  readonly role: string;
  /** The stored collection behind the view. */
  readonly of: Collection;
  /** The rights that the role has here. */
  readonly rights: readonly Right[];
  /** Whether the role reads every row and every field. */
  readonly readsAll: boolean;
  /** The collection restricted to the fields that the role may insert, and to those that it may update. */
  readonly creates?: Collection;
  readonly updates?: Collection;
}

export interface Unique {
  /** The constraint name, as in PostgreSQL: `products_sku_key`. */
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface Catalogue {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly draft: CatalogueDraft;
  /** Collections of the service itself, by name, such as the log of changes. A declared one of that name hides them. */
  readonly builtIn: ReadonlyMap<string, Collection>;
  /** The functions, stored queries and actions at /rpc/<name>, by name. */
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** By name; absent if every caller may do everything. */
  readonly roles?: ReadonlyMap<string, Role>;
  /** In the view of a role: the names of collections on which it has no rights, and of routines it may not call. */
  readonly closed?: ReadonlySet<string>;
  readonly closedRoutines?: ReadonlySet<string>;
}

interface Callable {
  readonly name: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
}

/** A stored request with parameters: a list of rows of a collection. */
export interface StoredQuery extends Callable {
  readonly kind: 'query';
  readonly collection: Collection;
  /** The query string, with parameters as values: `units_in_stock=lt.{threshold}`. */
  readonly query: string;
  /** The media type of the answer, unless the request asks for another. */
  readonly mediaType?: string;
}

/** A function of PostgreSQL. */
export interface DatabaseFunction extends Callable {
  readonly kind: 'function';
  /** The type of its only parameter, without a name, which takes the whole body of a request. */
  readonly body?: BodyType;
  readonly isBodyOptional?: boolean;
  /** Whether it may change data. */
  readonly isVolatile: boolean;
  /** Absent if it returns nothing. */
  readonly returns?: FunctionResult;
}

export interface FunctionResult {
  /** A declared collection, or one that only describes the columns. */
  readonly collection: Collection;
  readonly isDeclared: boolean;
  /** Its only column is shown as a bare value. */
  readonly isValue: boolean;
  /** Whether it returns a list. */
  readonly many: boolean;
  /** The media type of a value, which is the body of the answer. */
  readonly mediaType?: string;
}

/** A stored batch with parameters. */
export interface Action extends Callable {
  readonly kind: 'action';
  /** The parameters that are values, as the fields of a row. */
  readonly values: Collection;
  /** The parameters that are rows, by name. */
  readonly rows: ReadonlyMap<string, RowsParameter>;
  readonly entries: readonly ActionEntry[];
  readonly returns?: string | readonly string[];
}

export interface RowsParameter {
  /** Describes the rows. */
  readonly collection: Collection;
  readonly isRequired: boolean;
  readonly maximum: number;
}

export interface ActionEntry extends ActionEntryDraft {
  /** The collection that it writes. */
  readonly collection: Collection;
  readonly query: string;
}

export type Routine = StoredQuery | Action | DatabaseFunction;

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  readonly description?: string;
  readonly isRequired: boolean;
  /** The value of a query's parameter if a call gives none. A function has its own defaults. */
  readonly default?: Value;
  /** Takes any number of values. */
  readonly isVariadic?: boolean;
}

export interface Role {
  readonly name: string;
  /** Has every right on everything; rules do not apply. */
  readonly isAll: boolean;
  /** The rate limit of each caller with this role. */
  readonly rate?: Rate;
  /** The names of the routines that it may call, also by the roles it includes. */
  readonly call: ReadonlySet<string>;
  /** The roles whose users it manages, also by the roles it includes. */
  readonly manages: ReadonlySet<string>;
  /** The role's own rules and those of the roles it includes, by collection. */
  readonly rules: ReadonlyMap<Collection, RightsRules>;
}

export type RightsRules = Readonly<Record<Right, readonly Rule[]>>;

/** Grants a right on some rows and some of their fields. */
export interface Rule {
  /** Conditions in the query language; absent means every row. */
  readonly where?: string;
  readonly fields: ReadonlySet<Field>;
  /** How an update may change the fields; absent means in every way. */
  readonly operations?: ReadonlySet<ChangeWay>;
}
