/**
 * Headers that are written over for each answer: most of them are those of the answer before, and what a response is made
 * with it copies.
 */
export class HeaderSheet {
  private readonly headers = new Headers();
  private readonly names: string[] = [];
  private readonly values: (string | undefined)[] = [];

  rewritten(next: Readonly<Record<string, string>>): Headers {
    const { headers, names, values } = this;
    try {
      let place = 0;
      for (const name in next) {
        const value = next[name]!;
        if (names[place] !== name) {
          this.clearFrom(place);
          names.push(name);
          values.push(undefined);
        }
        if (values[place] !== value) {
          headers.set(name, value);
          values[place] = value;
        }
        place++;
      }
      if (names.length > place) this.clearFrom(place);
      return headers;
    } catch (error) {
      // A value that no header may have: whatever is half written must not go out with the next answer.
      this.clearFrom(0);
      throw error;
    }
  }

  private clearFrom(place: number): void {
    for (const name of this.names.splice(place)) this.headers.delete(name);
    this.values.length = place;
  }
}
