/** The question that inputs of lower folders ask. The application shows its dialog. */
import type { Collection, Row } from './catalogue.ts';

/** A row that does not exist yet and that another row is to refer to. */
export interface NewRow {
  readonly collection: Collection;
  readonly title: string;
}

export const newRows = {
  /** Resolves to the created row; undefined if the person cancels. */
  ask: (_row: NewRow): Promise<Row | undefined> => Promise.resolve(undefined),
};
