import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../../../client/portico.ts';
import { placeText } from '../../form/form.ts';
import { schemaFields } from '../../form/schema-fields.ts';
import { useDefinition } from '../../parts/agents.ts';
import { Skeleton } from '../../parts/basics.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';

type Of = { readonly of: Schemas['AgentDefinition'] };

const Fields = ({ of: { document_schema: schema } }: Of) => {
  const fields = schema === null ? [] : schemaFields(schema);
  if (fields.length === 0) return null;
  return (
    <>
      <h3>Fields of its documents</h3>
      <PlainTable
        head={['Field', 'Type', 'What it is']}
        rows={fields.map(({ pointer, label, type, description }) => [
          <>
            {label} <span class="soft mono">{pointer}</span>
          </>,
          type,
          description,
        ])}
      />
    </>
  );
};

const Checks = ({ of: { checks } }: Of) =>
  checks.length === 0 ? null : (
    <>
      <h3>Checks</h3>
      <dl class="connect">
        {checks.map(({ name, rule, when, message }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{rule}</code>
              {when !== null && (
                <span class="soft">
                  where <code>{when}</code>
                </span>
              )}
              {message !== null && <span class="soft">{message}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );

const reviews = {
  never: 'none is asked for',
  when_flagged: 'of documents in which something is doubtful',
  always: 'of every document',
} as const;
const approvers = {
  anyone: 'people, programs and tools of agents',
  client: 'people and programs',
  person: 'a person who is signed in here',
  other_person: 'a person who has not worked on it',
} as const;

const reviewText = (review: Schemas['AgentDefinition']['review']) =>
  typeof review === 'string' ? reviews[review] : `${reviews[review.when]}; approved by ${approvers[review.by]}`;

/** Which values of its documents are named, by their titles. */
const namesOf = (pointers: readonly string[] | null, schema: Schemas['AgentDefinition']['document_schema']) =>
  pointers?.map((pointer) => placeText(pointer, schema ?? {})).join(', ') || null;

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) =>
  children === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );

const Facts = ({ of }: Of) => {
  const system = of.system_of_record;
  return (
    <dl class="row">
      <Fact name="Model">{of.model}</Fact>
      <Fact name="Review">{of.document_schema && reviewText(of.review)}</Fact>
      <Fact name="System of record">
        {system && `${system.entity}, ${system.connection ?? 'a connection that is gone'}`}
      </Fact>
      <Fact name="Posted">{system && (of.process === 'automatic' ? 'by the workers' : 'by people and programs')}</Fact>
      <Fact name="Duplicates have the same">{namesOf(of.duplicate_key, of.document_schema)}</Fact>
      <Fact name="Must have">{namesOf(of.required_values, of.document_schema)}</Fact>
      <Fact name="Lists show">{namesOf(of.list_columns, of.document_schema)}</Fact>
      <Fact name="E-invoices">{of.einvoice === 'off' ? 'are read as text' : null}</Fact>
    </dl>
  );
};

/** What the agent is made of, as its live version says. */
export const Definition = ({ agentId }: { readonly agentId: string }) => {
  const definition = useDefinition(agentId);
  return (
    <section class="panel definition">
      <h2>How it works</h2>
      {definition === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <>
          <Facts of={definition} />
          {definition.instructions !== '' && (
            <>
              <h3>Instructions</h3>
              <p class="said">{definition.instructions}</p>
            </>
          )}
          <Fields of={definition} />
          <Checks of={definition} />
        </>
      )}
    </section>
  );
};
