/** The interface of a field kind. Input is always text: drafts, the clipboard and files use the same `parse`. */
import type { ComponentType } from 'react';
import type { ColumnNotation } from '../../../import/notation.ts';
import type { Collection, Field, Row, Value } from '../api/catalogue.ts';

/** A field and its collection, which knows the references. */
export interface FieldPlace {
  readonly collection: Collection;
  readonly field: Field;
}

export interface CellProps extends FieldPlace {
  readonly row: Row;
}

export interface InputProps extends FieldPlace {
  readonly id: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly isInvalid?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isFocused?: boolean | undefined;
  /** Whether the input may open a dialog, such as that of a new referenced row. A cell of a grid may not. */
  readonly mayOpenDialog?: boolean | undefined;
  /** Whether Enter ends the input at once, also before its options are there. */
  readonly isQuick?: boolean | undefined;
  /** The id of the help and error text. */
  readonly describedBy?: string | undefined;
}

export interface FilterProps extends FieldPlace {
  readonly id: string;
  /** The conditions of the field in the query language: `gt.20`. */
  readonly conditions: readonly string[];
  readonly onChange: (conditions: readonly string[]) => void;
}

export type Parsed = { readonly value: Value } | { readonly problem: string };

export interface FieldKind {
  readonly name: 'text' | 'number' | 'boolean' | 'date' | 'json' | 'array' | 'choice' | 'reference' | 'file';
  readonly isRightAligned?: boolean;
  /** The value for people. It is never null, nor is that of `print`. */
  readonly format: (place: FieldPlace, value: Value) => string;
  /** The value as editable text, which `parse` reads. */
  readonly print: (place: FieldPlace, value: Value) => string;
  /** Parses text that is not empty. `notation` is that of the other cells of its column. */
  readonly parse: (place: FieldPlace, text: string, notation?: ColumnNotation) => Parsed;
  readonly Cell: ComponentType<CellProps>;
  readonly Input: ComponentType<InputProps>;
  /** A kind without it is filtered by a list of its values. */
  readonly Filter?: ComponentType<FilterProps> | undefined;
}
