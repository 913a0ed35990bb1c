/** The TypeScript types of functions, stored queries and actions. */
import type { Action, Catalogue, Collection, Field, Routine } from '../collection/declaration.ts';
import { isOneRow } from '../plan/call/action.ts';
import { isGiven } from './schemas.ts';
import { comment, type EnumTypes, member, NOTHING, rowType, textLiteral, valueType } from './type-text.ts';

/** Several functions of one name are a union. */
export function functionTypes(
  routines: Catalogue['routines'],
  collections: readonly Collection[],
  enums: EnumTypes,
): readonly string[] {
  const related = collections.flatMap((from) =>
    from.computedReferences.map(({ name, to, many }) => ({ name, text: relationSignature(from, to, many) })),
  );
  const names = new Set([...routines.keys(), ...related.map(({ name }) => name)]);
  return [...names].map((name) => {
    const own = routines.get(name) ?? [];
    const computed = related.filter((each) => each.name === name).map(({ text }) => text);
    // A function of a row may be callable by itself. As a relation it has more to say.
    const signatures = computed.length > 0 ? computed : own.map((routine) => signature(routine, enums));
    return `${comment(6, own[0]?.description)}      ${member(name)}:${signatures.join('\n        |')};`;
  });
}

/** A function of a row that returns related rows. */
function relationSignature(from: Collection, to: string, many: boolean): string {
  const target = from.among.get(to)!;
  return ` {
        Args: { '': ${rowType(from)} };
        Returns: ${rowType(target)}[];${setOf(to, many, true, textLiteral(from.name))}
      }`;
}

function signature(routine: Routine, enums: EnumTypes): string {
  const { args, returns } = routine.kind === 'action' ? actionTypes(routine) : callTypes(routine, enums);
  return ` {
        Args: ${args.length === 0 ? NOTHING : `{\n${args.map((each) => `          ${each}`).join('\n')}\n        }`};
        Returns: ${returns}
      }`;
}

function callTypes(routine: Exclude<Routine, Action>, enums: EnumTypes): Signature {
  const args = routine.parameters.map(({ name, isRequired, type }) => {
    return `${member(name)}${isRequired ? '' : '?'}: ${valueType(type, enums)} | null;`;
  });
  const result =
    routine.kind === 'query' ? { ...routine, isDeclared: true, isValue: false, many: true } : routine.returns;
  if (result === undefined) return { args, returns: 'undefined;' };
  const { collection, isDeclared, isValue, many } = result;
  const list = many ? '[]' : '';
  if (isDeclared) return { args, returns: `${rowType(collection)}${list};${setOf(collection.name, many)}` };
  const typeOf = ({ type }: Field) => valueType(type, enums);
  const types = collection.fields.map((field) => `${member(field.name)}: ${typeOf(field)} | null`);
  return { args, returns: `${isValue ? typeOf(collection.fields[0]!) : `{ ${types.join('; ')} }`}${list};` };
}

/** A batch of the declaration: its parameters, some of them rows, and the stored rows that it returns. */
function actionTypes(action: Action): Signature {
  const argument = (of: Collection, field: Field) =>
    `${member(field.name)}${isGiven(of, field) ? '' : '?'}: ${field.type.typescript}${field.required ? '' : ' | null'};`;
  const args = action.parameters.map(({ name, isRequired }) => {
    const rows = action.rows.get(name)?.collection;
    if (rows === undefined) return argument(action.values, action.values.byName.get(name)!);
    const row = rows.fields.map((field) => argument(rows, field)).join(' ');
    return `${member(name)}${isRequired ? '' : '?'}: { ${row} }[];`;
  });
  const returned = (name: string) => {
    const { collection } = action.entries.find((entry) => entry.name === name)!;
    return `${rowType(collection)}${isOneRow(action, name) ? '' : '[]'}`;
  };
  const { returns } = action;
  if (returns === undefined || typeof returns === 'string') {
    return { args, returns: `${returns === undefined ? returns : returned(returns)};` };
  }
  return { args, returns: `{ ${returns.map((name) => `${member(name)}: ${returned(name)}`).join('; ')} };` };
}

function setOf(collection: string, many: boolean, isSet = many, from = `'*'`): string {
  return `
        SetofOptions: {
          from: ${from};
          to: ${textLiteral(collection)};
          isOneToOne: ${!many};
          isSetofReturn: ${isSet};
        };`;
}

/** The types of a routine, each as the text of a member or type. */
interface Signature {
  readonly args: readonly string[];
  readonly returns: string;
}
