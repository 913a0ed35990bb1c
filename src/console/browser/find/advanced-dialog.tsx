/** All filters of a list as conditions of the query language, with every operator of a field. */
import { useState } from 'react';
import { labelOf } from '../api/catalogue.ts';
import type { ListQuery, Pair } from '../api/query/list.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Check, Options } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import {
  type ConditionParts,
  operatorsOf,
  operatorWords,
  parseCondition,
  parseOperand,
  printCondition,
} from './conditions.ts';

interface AdvancedDialogProps {
  readonly query: ListQuery;
  readonly onClose: () => void;
  readonly onApply: (filters: readonly Pair[]) => void;
}

/** A condition as typed. A name that is not a field is an expression: `or`, `and`, `not.or`, `not.and`. */
interface Line extends ConditionParts {
  readonly id: number;
  readonly name: string;
  readonly problem?: string;
}

const EXPRESSIONS = ['or', 'and', 'not.or', 'not.and'];
const EMPTY_EXPRESSION = '()';

export default function AdvancedDialog({ query, onClose, onApply }: AdvancedDialogProps) {
  const { collection, filters } = query;
  const firstField = collection.fields[0]!.name;
  const newLine = (id: number): Line => ({ id, name: firstField, isNegated: false, operator: 'eq', operand: '' });
  const [lines, setLines] = useState<readonly Line[]>(() =>
    filters.length === 0 ? [newLine(0)] : filters.map(([name, text], id) => lineOf(id, name, text)),
  );
  const change = (id: number, values: Partial<Line>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, problem: '', ...values } : line)));
  const isField = (name: string) => collection.byName.has(name);

  function lineOf(id: number, name: string, text: string): Line {
    if (!isField(name)) return { id, name, isNegated: false, operator: '', operand: text };
    return { id, name, ...parseCondition(text) };
  }

  const onSubmit = () => {
    const read = lines.map((line): Line => {
      if (!isField(line.name)) return line;
      const place = { collection, field: collection.byName.get(line.name)! };
      const parsed = parseOperand(place, line.operator, line.operand);
      return 'value' in parsed ? { ...line, operand: String(parsed.value) } : { ...line, problem: parsed.problem };
    });
    if (read.some(({ problem }) => problem)) return setLines(read);
    onApply(read.map((line): Pair => [line.name, isField(line.name) ? printCondition(line) : line.operand]));
  };
  return (
    <Dialog title={t.find.allConditions} size="large" onClose={onClose} submit={{ label: t.find.apply, onSubmit }}>
      <p>{t.find.allMatch}</p>
      {lines.map((line) => (
        <div key={line.id} className="condition" role="group" aria-label={t.find.condition}>
          <select
            aria-label={t.app.field}
            value={line.name}
            onChange={({ target: { value } }) =>
              change(
                line.id,
                isField(value)
                  ? { name: value, operator: 'eq', operand: '' }
                  : { name: value, operand: EMPTY_EXPRESSION },
              )
            }
          >
            <Options of={collection.fields.map((field) => [field.name, labelOf(field)] as const)} />
            <Options
              of={[...new Set([...EXPRESSIONS, ...(isField(line.name) ? [] : [line.name])])].map(
                (name) => [name, t.find.expression(name)] as const,
              )}
            />
          </select>
          {isField(line.name) && (
            <>
              <Check
                className="negation"
                checked={line.isNegated}
                onChange={(isNegated) => change(line.id, { isNegated })}
              >
                {t.find.not}
              </Check>
              <select
                aria-label={t.find.operator}
                value={line.operator}
                onChange={({ target }) => change(line.id, { operator: target.value })}
              >
                <Options
                  of={[
                    ...new Set([
                      line.operator,
                      ...operatorsOf({ collection, field: collection.byName.get(line.name)! }),
                    ]),
                  ]
                    .sort()
                    .map((name) => [name, `${operatorWords(name)} (${name})`] as const)}
                />
              </select>
            </>
          )}
          <span className="operand">
            <input
              type="text"
              aria-label={t.find.value}
              aria-invalid={line.problem ? true : undefined}
              value={line.operand}
              onChange={({ target }) => change(line.id, { operand: target.value })}
            />
            {line.problem && <span className="problem">{line.problem}</span>}
          </span>
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
