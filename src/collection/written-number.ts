/** A number inside a list or an object, in the digits it was written in: 7.0 stays 7.0 where all of it becomes a text. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}
