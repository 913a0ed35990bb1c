/** Yes and No as people write them. */
import type { Field } from '../collection/declaration.ts';

const YES = /^(?:true|yes|y|on|x|1|✓|ja|j|wahr)$/i;
const NO = /^(?:false|no|n|off|-|0|nein|falsch)$/i;

/** Whether the field means yes or no: a boolean, or a number with that role. */
export function isFlag({ role, type }: Field): boolean {
  return role === 'flag' || type.input === 'switch';
}

/** Undefined if the text is neither. */
export function readFlag(text: string): boolean | undefined {
  const word = text.trim();
  if (YES.test(word)) return true;
  return NO.test(word) ? false : undefined;
}

/** The text that the type of a flag reads. Other texts stay as they are. */
export function flagText({ type }: Field, cell: string): string {
  const flag = readFlag(cell);
  if (flag === undefined) return cell;
  return type.input === 'switch' ? String(flag) : String(Number(flag));
}
