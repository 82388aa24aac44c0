import { type RunStatus, runMachine } from '../../domain/run.ts';
import { fitted } from './printable.ts';
import { painted, type Terminal } from './terminal.ts';
import { nameOfItem } from './views.ts';
import type { RunDetail, RunItem } from './wire.ts';

/** Shows how each unit of work of a run stands. */
export interface Progress {
  show(run: RunDetail): void;
  end(): void;
}

const marks: Readonly<Record<string, string>> = { queued: '·', running: '▸', completed: '✓', failed: '✗', cancelled: '–' };

/** A status that this program does not know yet is not an end. */
export const isOver = (status: string) => runMachine.states.includes(status as RunStatus) && runMachine.isTerminal(status as RunStatus);

const lineOf = ({ paintNote }: Terminal, item: RunItem, columns: number) => {
  const mark = Object.hasOwn(marks, item.status) ? marks[item.status] : '?';
  const status = painted(paintNote, fitted(item.status, 9), 9);
  return `${mark} ${status} ${fitted(nameOfItem(item), columns - 12)}`;
};

/** One line for each change, waiting aside: for files and pipes. */
const plain = (terminal: Terminal): Progress => {
  const shown = new Map<number, string>();
  return {
    show({ items }) {
      for (const item of items) {
        if (item.status !== 'queued' && shown.get(item.index) !== item.status)
          terminal.note(lineOf(terminal, item, Number.MAX_SAFE_INTEGER));
        shown.set(item.index, item.status);
      }
    },
    end() {},
  };
};

/** Where there are more units than lines, those that are done are only counted. */
const live = (terminal: Terminal, status: NonNullable<Terminal['status']>): Progress => ({
  show({ items }) {
    const columns = Math.max(30, status.columns - 1);
    const room = Math.max(1, status.rows - 3);
    const open = items.filter((item) => !isOver(item.status));
    const lines = (items.length <= room ? items : open.slice(0, room)).map((item) => lineOf(terminal, item, columns));
    status.draw(items.length <= room ? lines : [...lines, `${items.length - open.length} of ${items.length} are done`]);
  },
  end: status.settle,
});

export const progress = (terminal: Terminal): Progress => (terminal.status === null ? plain(terminal) : live(terminal, terminal.status));
