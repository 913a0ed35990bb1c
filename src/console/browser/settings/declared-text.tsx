/** A part of the declaration as its text, with the line: what no form edits can be read there. */
import { Problem } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { useDeclaration } from './api.ts';

export function DeclaredText({ path }: { readonly path: readonly string[] }) {
  const { data } = useDeclaration();
  const part = data && findPart(data.text.split('\n'), path);
  if (part === undefined) return null;
  return (
    <details className="help">
      <summary>
        {path.length === 1 && `${path[0]} · `}
        {t.settings.declaredAt(data!.file, part.first + 1)}
      </summary>
      <pre className="settings-text">{part.lines.join('\n')}</pre>
    </details>
  );
}

/** Mistakes that a change would cause elsewhere, by their places, with the lines of the declaration. */
export function MistakeList({ mistakes }: { readonly mistakes: Readonly<Record<string, string>> }) {
  const { data } = useDeclaration();
  const all = Object.entries(mistakes);
  if (data === undefined || all.length === 0) return null;
  return (
    <>
      {all.map(([place, words]) => (
        <Problem key={place}>
          {t.settings.declaredAt(data.file, lineOf(data.text.split('\n'), place.split('.')))} · {place}: {words}
        </Problem>
      ))}
      <p className="help">{t.settings.mistakes(data.file)}</p>
    </>
  );
}

/** The line of a member, or of the nearest one around it that begins a line. */
function lineOf(lines: readonly string[], path: readonly string[]): number {
  const part = path.length === 0 ? undefined : findPart(lines, path);
  return part !== undefined || path.length === 0 ? (part?.first ?? 0) + 1 : lineOf(lines, path.slice(0, -1));
}

/** The lines of a member: its own line, and the deeper ones that follow. */
export function findPart(lines: readonly string[], path: readonly string[]) {
  let [first, last, depth] = [-1, lines.length, -1];
  for (const name of path) {
    const isMember = (line: string) => /^\s*["']?(.*?)["']?\s*:/.exec(line)?.[1] === name;
    // A deeper member may have the same name.
    const inner = lines.slice(first + 1, last).filter((line) => /^\s*["'\w]/.test(line) && depthOf(line) > depth);
    const own = Math.min(...inner.map(depthOf));
    const at = lines.findIndex(
      (line, index) => index > first && index < last && depthOf(line) === own && isMember(line),
    );
    if (at < 0) return undefined;
    depth = depthOf(lines[at]!);
    const isEnd = (line: string, index: number) => index > at && line.trim() !== '' && depthOf(line) <= depth;
    const end = lines.findIndex(isEnd);
    [first, last] = [at, end < 0 ? last : Math.min(end, last)];
  }
  return { first, lines: lines.slice(first, last) };
}

const depthOf = (line: string): number => line.length - line.trimStart().length;
