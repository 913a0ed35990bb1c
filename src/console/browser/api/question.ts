/** A question that code asks and a mounted dialog answers. */
import { useEffect, useState } from 'react';

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

/** The question to show, and the function that answers it; undefined if there is none. */
export function useQuestion<Subject, Answer>(question: Question<Subject, Answer>) {
  const [open, setOpen] = useState<{ readonly subject: Subject; readonly answer: (answer: Answer) => void }>();
  useEffect(
    () =>
      question.listen((subject, resolve) => {
        const answer = (value: Answer) => {
          setOpen(undefined);
          resolve(value);
        };
        setOpen({ subject, answer });
      }),
    [question],
  );
  return open;
}
