/**
 * Headers that are written over for each answer: most of them are those of the answer before, and what a response is made
 * with it copies.
 */
export class HeaderSheet {
  private headers = new Headers();
  private written: Readonly<Record<string, string>> = {};

  rewritten(next: Readonly<Record<string, string>>): Headers {
    const { headers, written } = this;
    try {
      for (const name in written) {
        if (next[name] === undefined) headers.delete(name);
      }
      for (const name in next) {
        if (written[name] !== next[name]) headers.set(name, next[name]!);
      }
      this.written = next;
      return headers;
    } catch (error) {
      // A value that no header may have: whatever is half written must not go out with the next answer.
      this.headers = new Headers();
      this.written = {};
      throw error;
    }
  }
}
