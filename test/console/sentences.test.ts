/** The sentences of the service in German: each template of the source has one. */
import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';
import german from '../../src/console/browser/i18n/german-sentences.json' with { type: 'json' };

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const GERMAN: Readonly<Record<string, string>> = german;

function templateOf(literal: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(literal)) return literal.text;
  return literal.head.text + literal.templateSpans.map((span, at) => `{${at}}${span.literal.text}`).join('');
}

/** The templates with the tag `say`, by file. */
async function templatesIn(file: string): Promise<readonly string[]> {
  const text = await Bun.file(`${SOURCE}${file}`).text();
  if (!text.includes('say`')) return [];
  const templates: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'say') templates.push(templateOf(node.template));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return templates;
}

const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(SOURCE)].sort();
const TEMPLATES = new Set((await Promise.all(files.map(templatesIn))).flat());
const placesIn = (template: string) => [...new Set(template.match(/\{\d+\}/g))].sort();

test('every sentence of the service has a German one, and no other has', () => {
  expect(TEMPLATES.size).toBeGreaterThan(500);
  expect([...TEMPLATES].filter((each) => !Object.hasOwn(GERMAN, each))).toEqual([]);
  expect(Object.keys(GERMAN).filter((each) => !TEMPLATES.has(each))).toEqual([]);
});

test('a German sentence has the values of the English one', () => {
  const differing = Object.entries(GERMAN).filter(([english, text]) => `${placesIn(english)}` !== `${placesIn(text)}`);
  expect(differing).toEqual([]);
});
