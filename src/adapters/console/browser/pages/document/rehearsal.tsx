import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import { api } from '../../api.ts';
import { valueText } from '../../form/form.ts';
import type { Actions } from './actions.ts';

const outcomes = {
  insert: { tone: 'good', text: 'The row would be written.' },
  already_there: { tone: 'warn', text: 'The row of this document is there already, and would stay as it is.' },
  reject: { tone: 'bad', text: 'The system of record would refuse the row' },
} as const;

/** What processing would do. It is shown for the revision that was rehearsed, and no other. */
export const useRehearsal = (document: Schemas['DocumentDetail'] | null, settle: Actions['settle']) => {
  const now = useRef('');
  now.current = `${document?.id} ${document?.revision}`;
  const shown = useSignal<{ readonly of: string; readonly found: Schemas['Rehearsal'] } | null>(null);
  const rehearse = async () => {
    if (document === null || (await settle()) === null) return;
    const rehearsal = await api.post('/api/v1/documents/{id}/rehearsal', { params: { path: { id: document.id } } });
    shown.value = { of: now.current, found: rehearsal };
  };
  return { rehearse, found: shown.value?.of === now.current ? shown.value.found : null };
};

export const Rehearsed = ({ of: { would, reason, row } }: { readonly of: Schemas['Rehearsal'] }) => {
  const { tone, text } = outcomes[would];
  return (
    <section class="panel rehearsed" role="status" aria-label="Rehearsal">
      <h2>What processing would do</h2>
      <p class={`verdict ${tone}`}>
        {text}
        {reason && `: ${reason}`}
      </p>
      <dl class="row">
        {Object.entries(row).map(([column, value]) => (
          <div key={column}>
            <dt class="mono">{column}</dt>
            <dd>{valueText(value) || '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};
