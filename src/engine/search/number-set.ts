/** A set of numbers of rows, with a bit for each: a search asks for every row that it finds. */
export class NumberSet {
  size = 0;
  private bits = new Uint32Array(1_024);

  add(number: number): void {
    const word = number >>> 5;
    if (word >= this.bits.length) {
      const longer = new Uint32Array(2 * word);
      longer.set(this.bits);
      this.bits = longer;
    }
    if (this.has(number)) return;
    this.bits[word]! |= 1 << (number & 31);
    this.size += 1;
  }

  has(number: number): boolean {
    return ((this.bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }
}
