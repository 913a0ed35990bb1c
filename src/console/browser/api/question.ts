/** A question that code asks and a mounted dialog answers. */
import { useEffect, useState } from 'react';
import { newId } from '../base/ids.ts';

type Listener<Subject, Answer> = (subject: Subject, answer: (answer: Answer) => void) => void;

export class Question<Subject, Answer> {
  private listener: Listener<Subject, Answer> | undefined;
  /** Questions that wait until the code of the dialog is loaded. */
  private readonly waiting: Parameters<Listener<Subject, Answer>>[] = [];

  get hasDialog(): boolean {
    return this.listener !== undefined;
  }

  ask(subject: Subject): Promise<Answer> {
    return new Promise((resolve) => {
      if (this.listener === undefined) this.waiting.push([subject, resolve]);
      else this.listener(subject, resolve);
    });
  }

  /** Registers the dialog. The result ends it. */
  listen(listener: Listener<Subject, Answer>): () => void {
    this.listener = listener;
    for (const each of this.waiting.splice(0)) listener(...each);
    return () => {
      if (this.listener === listener) this.listener = undefined;
    };
  }
}

/** The open questions, the latest last, each with the function that answers it. */
export function useQuestions<Subject, Answer>(question: Question<Subject, Answer>) {
  interface Open {
    readonly id: string;
    readonly subject: Subject;
    readonly answer: (answer: Answer) => void;
  }
  const [open, setOpen] = useState<readonly Open[]>([]);
  useEffect(
    () =>
      question.listen((subject, resolve) => {
        const id = newId();
        const answer = (value: Answer) => {
          setOpen((before) => before.filter((each) => each.id !== id));
          resolve(value);
        };
        setOpen((before) => [...before, { id, subject, answer }]);
      }),
    [question],
  );
  return open;
}
