/** Lists of files as text: ids, separated by commas. */
export const splitIds = (text: string): readonly string[] => text.split(/[\s,]+/).filter((id) => id !== '');

export const joinIds = (ids: readonly string[]): string => ids.join(', ');

/** The list with one element moved to another place. */
export function moved<Of>(list: readonly Of[], from: number, to: number): readonly Of[] {
  if (from === to || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, list[from]!);
}
