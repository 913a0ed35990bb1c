/** A list of conditions on rows, with every operator of a field and a choice of its values. Lists and roles use it. */
import { useId } from 'react';
import { type Collection, labelOf } from '../api/catalogue.ts';
import { filterFields, OR_EMPTY, readFilter } from '../api/query/filters.ts';
import type { ListQuery } from '../api/query/list.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Check, Options } from '../components/inputs.tsx';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { type Line, newLine, readLines, withoutLine } from './condition-lines.ts';
import {
  claimIn,
  listParts,
  operatorsOf,
  operatorWords,
  printClaim,
  printCondition,
  VALUE_OPERATORS,
  valuesOf,
} from './conditions.ts';
import { ValueList } from './value-list.tsx';

const EXPRESSIONS = ['or', 'and', 'not.or', 'not.and'];
const EMPTY_EXPRESSION = '()';

interface ConditionListProps {
  readonly query: ListQuery;
  readonly lines: readonly Line[];
  /** The lines that were to be applied. They show their problems until someone edits them. */
  readonly tried: readonly Line[] | undefined;
  readonly onChange: (lines: readonly Line[]) => void;
  /** Whether the conditions are stored: periods relative to today are for lists only. */
  readonly isRule?: boolean;
  /** Whether a condition may compare with a claim of the user. */
  readonly hasClaims?: boolean;
}

export function ConditionList(props: ConditionListProps) {
  const { query, lines, tried = [], onChange, isRule = false, hasClaims = false } = props;
  const { collection } = query;
  const { problems } = readLines(collection, lines);
  const change = (id: number, values: Partial<Line>) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, ...values } : line)));
  const choose = (id: number, name: string) =>
    change(
      id,
      readFilter(collection, name)
        ? { name, operator: 'eq', operand: '', stored: undefined }
        : { name, operator: '', operand: EMPTY_EXPRESSION, stored: undefined },
    );
  return (
    <>
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
          <FieldSelect collection={collection} name={line.name} onChange={(name) => choose(line.id, name)} />
          <ConditionInput
            query={query}
            line={line}
            problem={tried.includes(line) ? problems.get(line) : undefined}
            isRule={isRule}
            hasClaims={hasClaims}
            onChange={(values) => change(line.id, values)}
          />
          <IconButton icon="trash" label={t.find.removeCondition} onClick={() => onChange(withoutLine(lines, line))} />
        </div>
      ))}
      <div>
        <Button kind="quiet" icon="plus" onClick={() => onChange([...lines, newLine(collection)])}>
          {t.find.addCondition}
        </Button>
      </div>
    </>
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
  const isField = readFilter(collection, name) !== undefined;
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

interface ConditionInputProps extends Required<Pick<ConditionListProps, 'query' | 'isRule' | 'hasClaims'>> {
  readonly line: Line;
  readonly problem: string | undefined;
  readonly onChange: (values: Partial<Line>) => void;
}

const shownOperator = (operator: string) => (operator === OR_EMPTY.slice(0, -1) ? 'in' : operator);

const HINTS: Readonly<Record<string, () => string>> = { in: () => t.find.listHint, claim: () => t.find.claimHint };

/** Operators without a value. */
const EMPTY = { isNegated: false, operator: 'is', operand: 'null' } as const;

/** The operator and the value of a condition: a list of values, the input of the kind, or text. */
function ConditionInput({ query, line, problem, isRule, hasClaims, onChange }: ConditionInputProps) {
  const id = useId();
  const { name, isNegated, operator, operand } = line;
  const filter = readFilter(query.collection, name);
  const isEmpty = operator === 'is' && operand === 'null';
  const claim = operator === 'eq' && hasClaims ? claimIn(operand) : undefined;
  const chosen = isEmpty ? (isNegated ? 'notEmpty' : 'empty') : claim === undefined ? shownOperator(operator) : 'claim';
  const choose = (next: string) => {
    if (next === 'claim') return onChange({ operator: 'eq', operand: printClaim('') });
    if (next === 'empty' || next === 'notEmpty') return onChange({ ...EMPTY, isNegated: next === 'notEmpty' });
    if (next === 'during') return onChange({ operator: next, operand: 'last7', isNegated: false });
    onChange({
      operator: next,
      ...((isEmpty || [next, chosen].some((each) => each === 'in' || each === 'claim')) && {
        operand: '',
        isNegated: false,
      }),
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
  const isOffered = (each: string) => each !== 'is' && !(isRule && each === 'during');
  const names = ['empty', 'notEmpty', ...(hasClaims ? ['claim'] : []), ...operatorsOf(filter).filter(isOffered)];
  const attributes = {
    id,
    'aria-invalid': problem ? true : undefined,
    'aria-label': t.find.value,
    value: claim ?? operand,
    onChange: ({ target: { value } }: { readonly target: { readonly value: string } }) =>
      onChange({ operand: claim === undefined ? value : printClaim(value) }),
  };
  const isYesNo = filter.field.type.name === 'boolean' && ['eq', 'neq', 'is'].includes(operator);
  const yesNo = { '': t.fields.choose, true: t.app.yes, false: t.app.no };
  const choices = operator === 'during' ? t.find.periods : isYesNo && claim === undefined ? yesNo : undefined;
  const isTyped =
    claim !== undefined || !VALUE_OPERATORS.includes(operator) || !['date', 'reference', 'choice'].includes(kind);
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
            onChange={(values) => onChange(listParts(values))}
          />
        ) : choices !== undefined ? (
          <select {...attributes}>
            <Options of={choices} />
          </select>
        ) : isTyped ? (
          <input type="text" placeholder={HINTS[chosen]?.()} {...attributes} />
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
