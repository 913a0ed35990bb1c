/** A question that code asks, and a dialog of the page answers. */
import { newId } from '../base/ids.ts';
import { Store } from '../base/store.ts';

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
