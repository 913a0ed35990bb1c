/** Figures of selected cells: how many have a value, and the exact sum of numbers. */

/** Adds decimal numbers without rounding; undefined if a text is not a decimal number. */
export function addExactly(texts: readonly string[]): { readonly sum: bigint; readonly decimals: number } | undefined {
  const parts = texts.map((text) => /^(-?)(\d+)(?:\.(\d+))?$/.exec(text));
  if (parts.some((part) => part === null)) return undefined;
  const decimals = Math.max(0, ...parts.map((part) => part![3]?.length ?? 0));
  const sum = parts.reduce((total, part) => {
    const [, sign = '', whole = '', digits = ''] = part!;
    const value = BigInt(whole + digits.padEnd(decimals, '0'));
    return sign === '-' ? total - value : total + value;
  }, 0n);
  return { sum, decimals };
}

/** The digits of an exact sum: `12.50`. */
export function printSum({ sum, decimals }: { readonly sum: bigint; readonly decimals: number }): string {
  const digits = (sum < 0n ? -sum : sum).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${sum < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
}
