/** The inputs of a row, each with its label, help and error. */
import { type Collection, helpTextOf, labelOf, mayWrite } from '../api/catalogue.ts';
import { Labelled } from '../components/small.tsx';
import { kindOf } from '../fields/registry.ts';
import type { Draft } from './use-draft.ts';

interface RecordFormProps {
  readonly collection: Collection;
  readonly draft: Draft;
  readonly isNew: boolean;
}

export function RecordForm({ collection, draft, isNew }: RecordFormProps) {
  return (
    <div className="record-form">
      {draft.fields.map((field) => {
        const { Input } = kindOf({ collection, field });
        const id = `field-${field.name}`;
        const problem = draft.problems[field.name];
        return (
          <Labelled
            key={field.name}
            id={id}
            label={labelOf(field)}
            isRequired={field.required}
            help={helpTextOf(field)}
            problem={problem}
          >
            <Input
              id={id}
              collection={collection}
              field={field}
              text={draft.texts[field.name] ?? ''}
              isInvalid={problem === undefined ? undefined : true}
              isDisabled={!mayWrite(collection, field, isNew)}
              describedBy={`${id}-help`}
              onChange={(text) => draft.setText(field.name, text)}
            />
          </Labelled>
        );
      })}
    </div>
  );
}
