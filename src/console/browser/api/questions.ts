/** The questions that code asks, and dialogs of the pages answer. */
import { newId } from '../base/ids.ts';
import { Store } from '../base/store.ts';
import type { Collection, Row } from './catalogue.ts';

interface OpenQuestion<Subject, Answer> {
  readonly id: string;
  readonly subject: Subject;
  readonly answer: (answer: Answer) => void;
}

/** The questions without an answer, the latest last. */
export class Question<Subject, Answer> extends Store<readonly OpenQuestion<Subject, Answer>[]> {
  constructor() {
    super([]);
  }

  ask(subject: Subject): Promise<Answer> {
    const id = newId();
    return new Promise((resolve) => {
      const answer = (value: Answer) => {
        this.set(this.get().filter((each) => each.id !== id));
        resolve(value);
      };
      this.set([...this.get(), { id, subject, answer }]);
    });
  }
}

/** Two people changed the same field of a row. The person who saves second sees both versions and decides. */
export interface Conflict {
  readonly collection: Collection;
  readonly mine: Row;
  /** The stored values. */
  readonly theirs: Row;
  /** Fields that both people changed to different values. */
  readonly disputed: readonly string[];
}

/** The changes to save; undefined to go back to editing. */
export type Decision = Row | undefined;

export const conflicts = new Question<Conflict, Decision>();

/** A row that does not exist yet and that another row is to refer to. */
interface NewRow {
  readonly collection: Collection;
  readonly title: string;
}

/** The created row; undefined if the person cancels. */
export const newRows = new Question<NewRow, Row | undefined>();
