import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../client/portico.ts';
import { doors } from '../../../../domain/access.ts';
import { to } from '../address.ts';
import { placeText, valuesOf } from '../form/form.ts';
import { countText, Status, Time } from './basics.tsx';
import { allowed } from './document-actions.ts';
import type { FormProps } from './document-form.tsx';
import { reasonText } from './document-list.ts';

type Detail = Schemas['DocumentDetail'];

/** Nothing of a document that was made of a message alone. */
const Coverage = ({ of }: { readonly of: NonNullable<Detail['coverage']> }) => {
  const share = (read: number, all: number, what: string) =>
    all > 0 ? [`${countText(read)} of ${countText(all)} ${what}`] : [];
  const parts = [
    ...share(of.pages_read, of.pages_total, 'pages'),
    ...share(of.characters_read, of.characters_total, 'characters'),
  ];
  if (parts.length === 0 && of.complete) return null;
  return (
    <div>
      <dt>Read</dt>
      <dd>
        {parts.join(', ')} {!of.complete && <span class="flag">not all of it</span>}
        {of.unread.length > 0 && (
          <ul>
            {of.unread.map(({ file_name: file, page, what }) => (
              <li>{[file, page !== null && `page ${page}`, what].filter(Boolean).join(', ')}</li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
};

const Review = ({ document }: { readonly document: Detail }) => {
  const { status, reviewer, note, decided_at: at, decided_via: via } = document.review;
  const isOpen = reviewer !== null && allowed(document).edit;
  return (
    <>
      <Status of={status} />{' '}
      {reviewer && (
        <span class="soft">
          by {reviewer.name} {via && doors[via]}, <Time at={at} />
          {isOpen && '; a change opens it again'}
        </span>
      )}
      {note && <p>“{note}”</p>}
    </>
  );
};

export const Facts = ({ document }: { readonly document: Detail }) => (
  <dl class="facts">
    <div>
      <dt>Status</dt>
      <dd>
        <Status of={document.status} />
      </dd>
    </div>
    {document.review.status !== 'not_required' && (
      <div>
        <dt>Review</dt>
        <dd>
          <Review document={document} />
        </dd>
      </div>
    )}
    <div>
      <dt>From</dt>
      <dd>
        <a href={to(`/runs/${document.run_id}`)}>run</a> of <Time at={document.created_at} />
      </dd>
    </div>
    <div>
      <dt>Read by</dt>
      <dd>
        {document.model}, version {document.agent_version}
      </dd>
    </div>
    {document.coverage && <Coverage of={document.coverage} />}
    {document.external_reference && (
      <div class="long">
        <dt>Entered as</dt>
        <dd class="mono">{document.external_reference}</dd>
      </div>
    )}
  </dl>
);

const looks = { passed: 'good', failed: 'bad', not_applicable: 'warn' } as const;

/** A check that is not about the document says nothing. */
const hasSaid = ({ status, message }: Detail['checks'][number]) => status !== 'not_applicable' || message !== null;

type Reason = Detail['review']['reasons'][number];

/** So many values are named; the others are marked where they stand. */
const MOST_NAMED = 12;

/** Why a value needs a look, and where it stands on the page; it leads to the value. */
const ValueReason = ({ reason, form, choose }: { readonly reason: Reason } & Pick<RemarksProps, 'form' | 'choose'>) => {
  const pointer = reason.pointer ?? '';
  const { document, draft } = form;
  const page = document.evidence[pointer]?.page ?? null;
  const isDone = draft.confirmed.includes(pointer) || Object.hasOwn(draft.values, pointer);
  return (
    <li class={isDone ? 'good' : 'warn'}>
      <button type="button" class="text" onClick={() => choose(pointer)}>
        {placeText(pointer)}
      </button>
      : {reason.message} {page !== null && <span class="soft">Page {page}.</span>}
    </li>
  );
};

interface RemarksProps {
  readonly form: Pick<FormProps, 'document' | 'draft' | 'fields'>;
  /** Goes to a value. */
  readonly choose: (pointer: string) => void;
}

/** Why a person should look at the document: first what is about values, then what is about all of it. */
export const Remarks = ({ form, choose }: RemarksProps) => {
  const { document, fields } = form;
  const shown = useMemo(() => new Set(valuesOf(fields).map(({ pointer }) => pointer)), [fields]);
  const checks = document.checks.filter(hasSaid);
  // Checks and duplicates stand in lines of their own, with more about them.
  const apart = ['check_failed', 'check_not_applicable', ...(document.duplicates.length > 0 ? ['duplicate'] : [])];
  const reasons = document.review.reasons.filter(({ pointer, code }) => pointer !== null || !apart.includes(code));
  const isAtValue = ({ pointer }: Reason) => pointer !== null && shown.has(pointer);
  const atValues = reasons.filter(isAtValue);
  const general = reasons.filter((reason) => !isAtValue(reason));
  if (checks.length + document.duplicates.length + reasons.length === 0) return null;
  return (
    <section class="panel">
      <h2>{document.review.status === 'pending' ? 'Why it needs a look' : 'Remarks'}</h2>
      <ul class="remarks">
        {atValues.slice(0, MOST_NAMED).map((reason) => (
          <ValueReason reason={reason} form={form} choose={choose} />
        ))}
        {atValues.length > MOST_NAMED && (
          <li class="warn">{countText(atValues.length - MOST_NAMED)} more values, which are marked where they stand</li>
        )}
        {general.map((reason) => (
          <li class="warn">{reasonText(reason)}</li>
        ))}
        {checks.map(({ name, status, message }) => (
          <li class={looks[status]}>
            {name}
            {message && `: ${message}`}
          </li>
        ))}
        {document.duplicates.map(({ document_id: id, reason }) => (
          <li class="warn">
            {reason === 'file' ? 'The same file was read before' : 'Another document has the same key'}:{' '}
            <a href={to(`/documents/${id}`)}>see it</a>
          </li>
        ))}
      </ul>
    </section>
  );
};
