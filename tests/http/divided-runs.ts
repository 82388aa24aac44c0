import { setTimeout as sleep } from 'node:timers/promises';

interface ShownPart {
  readonly index: number;
  readonly name: string;
  readonly file_name: string;
  readonly pages: readonly number[];
  readonly evidence: readonly { page: number; quote: string; boxes: readonly unknown[] }[];
  readonly confidence: number | null;
  readonly document_id: string | null;
  readonly status: string;
}

export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly items: readonly {
    index: number;
    status: string;
    part: { file_name: string; pages: readonly number[] } | null;
    document_ids: readonly string[];
  }[];
  readonly documents: readonly { id: string; agent_version: number; model: string }[];
  readonly parts: readonly ShownPart[];
  readonly unassigned: readonly { file_name: string; pages: readonly number[] }[];
}

type Progress = Pick<ShownRun, 'status'> & { readonly parts: readonly Pick<ShownPart, 'status'>[] };

/** Looks at a run that divides files until it has ended and every part of it is read. */
export const untilRead = async <Found extends { readonly run: Progress }>(
  look: () => Promise<Found>,
): Promise<Found> => {
  for (;;) {
    const found = await look();
    const isOver = !['queued', 'running'].includes(found.run.status);
    if (isOver && found.run.parts.every(({ status }) => status !== 'reading')) return found;
    await sleep(50);
  }
};
