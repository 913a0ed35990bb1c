/** All filters of a list as conditions, with every operator of a field and a choice of its values. */
import { useId, useState } from 'react';
import { type Collection, labelOf } from '../api/catalogue.ts';
import { filterFields, OR_EMPTY, readFilter } from '../api/query/filters.ts';
import type { ListQuery, Pair } from '../api/query/list.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Check, Options } from '../components/inputs.tsx';
import { inList } from '../fields/filters.tsx';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import {
  type ConditionParts,
  conditionFor,
  operatorsOf,
  operatorWords,
  parseCondition,
  parseOperand,
  printCondition,
  VALUE_OPERATORS,
  valuesOf,
} from './conditions.ts';
import { parseGroup, printGroup } from './or-groups.ts';
import { ValueList } from './value-list.tsx';

interface AdvancedDialogProps {
  readonly query: ListQuery;
  readonly onApply: (filters: readonly Pair[]) => void;
}

/** A condition as typed. A name that is not a field is an expression: `or`, `and`, `not.or`, `not.and`. */
interface Line extends ConditionParts {
  readonly id: number;
  /** Whether it belongs to the conditions before it, of which one is enough. */
  readonly isOr?: boolean;
  readonly name: string;
  readonly problem?: string;
}

const EXPRESSIONS = ['or', 'and', 'not.or', 'not.and'];
const EMPTY_EXPRESSION = '()';

export default function AdvancedDialog({ query, onApply }: AdvancedDialogProps) {
  const { collection, filters } = query;
  const fieldOf = (name: string) => readFilter(collection, [name, '']);
  const firstField = collection.fields[0]!.name;
  const newLine = (id: number): Line => ({ id, name: firstField, isNegated: false, operator: 'eq', operand: '' });
  const [lines, setLines] = useState<readonly Line[]>(() =>
    filters.length === 0 ? [newLine(0)] : filters.flatMap(linesOf).map((line, id) => ({ ...line, id })),
  );
  const change = (id: number, values: Partial<Line>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, problem: '', ...values } : line)));

  function linesOf([name, text]: Pair): readonly Line[] {
    const group = name === 'or' ? parseGroup(collection, text) : undefined;
    if (group !== undefined) return group.flatMap(linesOf).map((line, at) => ({ ...line, isOr: at > 0 }));
    if (fieldOf(name) === undefined) return [{ id: 0, name, isNegated: false, operator: '', operand: text }];
    return [{ id: 0, name, ...parseCondition(text) }];
  }

  const onSubmit = () => {
    const read = lines.map((line): Line => {
      const field = fieldOf(line.name);
      const parsed = field && parseOperand(field, line.operator, line.operand);
      if (parsed === undefined) return line;
      return 'value' in parsed ? { ...line, operand: String(parsed.value) } : { ...line, problem: parsed.problem };
    });
    if (read.some(({ problem }) => problem)) {
      setLines(read);
      return false;
    }
    const groups: Line[][] = [];
    for (const [at, line] of read.entries()) {
      if (at > 0 && line.isOr) groups.at(-1)!.push(line);
      else groups.push([line]);
    }
    const printed = groups.map((group): Pair | undefined => {
      const pairs = group.map((line): Pair => [line.name, fieldOf(line.name) ? printCondition(line) : line.operand]);
      if (pairs.length === 1) return pairs[0];
      const text = printGroup(collection, pairs);
      return text === undefined ? undefined : ['or', text];
    });
    if (printed.includes(undefined)) throw new Error(t.find.notInGroup);
    return onApply(printed as readonly Pair[]);
  };
  return (
    <Dialog title={t.find.allConditions} size="large" submit={{ label: t.find.apply, onSubmit }}>
      <p>{t.find.allMatch}</p>
      {lines.map((line, at) => (
        <div key={line.id} className="condition" role="group" aria-label={t.find.condition}>
          {at > 0 && (
            <select
              className="join"
              aria-label={t.find.join}
              value={String(line.isOr === true)}
              onChange={({ target }) => change(line.id, { isOr: target.value === 'true' })}
            >
              <Options of={{ false: t.find.and, true: t.find.or }} />
            </select>
          )}
          <FieldSelect
            collection={collection}
            name={line.name}
            onChange={(name) =>
              change(
                line.id,
                fieldOf(name) ? { name, operator: 'eq', operand: '' } : { name, operand: EMPTY_EXPRESSION },
              )
            }
          />
          <ConditionInput query={query} line={line} onChange={(values) => change(line.id, values)} />
          <IconButton
            icon="trash"
            label={t.find.removeCondition}
            onClick={() => setLines(lines.filter(({ id }) => id !== line.id))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        icon="plus"
        onClick={() => setLines([...lines, newLine(Math.max(0, ...lines.map(({ id }) => id)) + 1)])}
      >
        {t.find.addCondition}
      </Button>
    </Dialog>
  );
}

interface FieldSelectProps {
  readonly collection: Collection;
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** The fields of the collection, those of each referenced row, and expressions of the query language. */
function FieldSelect({ collection, name, onChange }: FieldSelectProps) {
  const groups = Map.groupBy(filterFields(collection), ({ via }) => (via === undefined ? '' : labelOf(via)));
  const isField = readFilter(collection, [name, '']) !== undefined;
  const expressions = [...new Set([...EXPRESSIONS, ...(isField ? [] : [name])])];
  return (
    <select aria-label={t.app.field} value={name} onChange={({ target }) => onChange(target.value)}>
      {[...groups].map(([label, fields]) => {
        const names = fields.map((each) => [each.name, labelOf(each.field)] as const);
        if (label === '') return <Options key={label} of={names} />;
        return (
          <optgroup key={label} label={label}>
            <Options of={names} />
          </optgroup>
        );
      })}
      <Options of={expressions.map((each) => [each, t.find.expression(each)] as const)} />
    </select>
  );
}

interface ConditionInputProps {
  readonly query: ListQuery;
  readonly line: Line;
  readonly onChange: (values: Partial<Line>) => void;
}

/** Operators without a value. */
const EMPTY = { isNegated: false, operator: 'is', operand: 'null' } as const;

/** The operator and the value of a condition: a list of values, the input of the kind, or text. */
function ConditionInput({ query, line, onChange }: ConditionInputProps) {
  const id = useId();
  const { name, isNegated, operator, operand, problem } = line;
  const filter = readFilter(query.collection, [name, '']);
  const isEmpty = operator === 'is' && operand === 'null';
  const chosen = isEmpty ? (isNegated ? 'notEmpty' : 'empty') : operator === OR_EMPTY.slice(0, -1) ? 'in' : operator;
  const choose = (next: string) => {
    if (next === 'empty' || next === 'notEmpty') return onChange({ ...EMPTY, isNegated: next === 'notEmpty' });
    if (next === 'during') return onChange({ operator: next, operand: 'last7', isNegated: false });
    onChange({
      operator: next,
      ...((isEmpty || next === 'in' || chosen === 'in') && { operand: '', isNegated: false }),
    });
  };
  if (filter === undefined)
    return (
      <span className="operand">
        <input
          aria-label={t.find.value}
          value={operand}
          onChange={({ target }) => onChange({ operand: target.value })}
        />
      </span>
    );
  const { Input, name: kind, Filter } = kindOf(filter);
  const names = ['empty', 'notEmpty', ...operatorsOf(filter).filter((each) => each !== 'is')];
  const attributes = {
    id,
    'aria-invalid': problem ? true : undefined,
    'aria-label': t.find.value,
    value: operand,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ operand: target.value }),
  };
  const isTyped = !VALUE_OPERATORS.includes(operator) || !['date', 'reference', 'choice'].includes(kind);
  return (
    <>
      <Check
        className="negation"
        disabled={isEmpty}
        checked={isNegated}
        onChange={(next) => onChange({ isNegated: next })}
      >
        {t.find.not}
      </Check>
      <select aria-label={t.find.operator} value={chosen} onChange={({ target }) => choose(target.value)}>
        <Options of={[...new Set([chosen, ...names])].map((each) => [each, operatorWords(each)] as const)} />
      </select>
      <span className="operand">
        {isEmpty ? null : chosen === 'in' && Filter === undefined ? (
          <ValueList
            id={id}
            query={query}
            filter={filter}
            chosen={valuesOf(printCondition({ ...line, isNegated: false }))}
            onChange={(values) => {
              // A single value stays in the list, where others can be added.
              const isSingle = values.length < 2 && values[0] !== null;
              onChange(parseCondition(isSingle ? inList(values) : conditionFor(values)[0]!));
            }}
          />
        ) : operator === 'during' ? (
          <select {...attributes}>
            <Options of={t.find.periods} />
          </select>
        ) : isTyped ? (
          <input type="text" placeholder={chosen === 'in' ? t.find.listHint : ''} {...attributes} />
        ) : (
          <>
            <label className="visually-hidden" htmlFor={id}>
              {t.find.value}
            </label>
            <Input
              collection={filter.collection}
              field={filter.field}
              id={id}
              text={operand}
              isInvalid={problem ? true : undefined}
              onChange={(text) => onChange({ operand: text })}
            />
          </>
        )}
        {problem && <span className="problem">{problem}</span>}
      </span>
    </>
  );
}
