import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import { to } from '../../address.ts';
import { placeText, valuesOf } from '../../form/form.ts';
import { countText } from '../../parts/basics.tsx';
import { reasonText } from '../../parts/document-list.ts';
import type { FormProps } from './values.tsx';

type Detail = Schemas['DocumentDetail'];

const looks = { passed: 'good', failed: 'bad', not_applicable: 'warn' } as const;

/** A check that is not about the document says nothing. */
const hasSaid = ({ status, message }: Detail['checks'][number]) => status !== 'not_applicable' || message !== null;

type Reason = Detail['review']['reasons'][number];

/** So many values are named; the others are marked where they stand. */
const MOST_NAMED = 12;

/** Why a value needs a look, and where it stands on the page; it leads to the value. */
const ValueReason = ({ reason, form, choose }: { readonly reason: Reason } & Pick<RemarksProps, 'form' | 'choose'>) => {
  const pointer = reason.pointer ?? '';
  const { document, draft, schema } = form;
  const page = document.evidence[pointer]?.page ?? null;
  const isDone = draft.confirmed.includes(pointer) || Object.hasOwn(draft.values, pointer);
  return (
    <li class={isDone ? 'good' : 'warn'}>
      <button type="button" class="text" onClick={() => choose(pointer)}>
        {placeText(pointer, schema)}
      </button>
      : {reason.message} {page !== null && <span class="soft">Page {page}.</span>}
    </li>
  );
};

interface RemarksProps {
  readonly form: Pick<FormProps, 'document' | 'draft' | 'fields' | 'schema'>;
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
          <li class="warn">
            {reasonText(reason, form)}
            {reason.code === 'unassigned_pages' && (
              <>
                {' '}
                <a href={to(`/runs/${document.run_id}`)}>see the parts</a>
              </>
            )}
          </li>
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
