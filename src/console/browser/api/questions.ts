/** The questions that code of lower folders asks. The application decides which dialog shows each. */
import type { Collection, Row } from './catalogue.ts';

class Question<Subject, Answer> {
  /** Shows the question to the person. The first answer wins. */
  show: (subject: Subject, answer: (answer: Answer) => void) => unknown = () => undefined;

  ask(subject: Subject): Promise<Answer> {
    return new Promise((answer) => this.show(subject, answer));
  }
}

/** Two people changed the same field of a row. The person who saves second sees both versions and decides. */
export interface Conflict {
  readonly collection: Collection;
  readonly mine: Row;
  /** The stored values. */
  readonly theirs: Row;
  /** The name of the other person, if it is known. */
  readonly person: string;
  /** Fields that both people changed to different values. */
  readonly disputed: readonly string[];
}

/** The changes to save; undefined to go back to editing. */
export type Decision = Row | undefined;

export const conflicts = new Question<Conflict, Decision>();

/** A row that does not exist yet and that another row is to refer to. */
export interface NewRow {
  readonly collection: Collection;
  readonly title: string;
}

/** The created row; undefined if the person cancels. */
export const newRows = new Question<NewRow, Row | undefined>();
