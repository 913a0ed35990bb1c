/** A row that does not exist yet and that another row is to refer to. A dialog asks for its values. */
import type { Collection, Row } from './catalogue.ts';
import { Question } from './question.ts';

interface NewRow {
  readonly collection: Collection;
  readonly title: string;
}

/** The created row; undefined if the person cancels. */
export const newRows = new Question<NewRow, Row | undefined>();
