import { type Standing, written } from './flow.ts';

/** The paragraphs and tables of one part of a rich text file as HTML: only the ends of its paragraphs, cells and rows are marked. */
export const rtfSink = () => {
  let paragraph = '';
  let cell = '';
  let row = '';
  let table = '';
  let apart = '';
  let html = '';
  const flushTable = () => {
    html += (table === '' ? '' : `<table>${table}</table>`) + apart;
    table = '';
    apart = '';
  };
  const sink = {
    text(text: string, standing?: Standing) {
      paragraph += written(text, paragraph, standing);
    },
    line() {
      paragraph += '<br>';
    },
    endParagraph(isInTable: boolean) {
      const ended = `<p>${paragraph}</p>`;
      paragraph = '';
      if (isInTable) cell += ended;
      else if (row !== '' || cell !== '') cell += ended;
      else {
        if (table !== '') flushTable();
        html += ended + apart;
        apart = '';
      }
    },
    endCell() {
      row += `<td>${cell}<p>${paragraph}</p></td>`;
      cell = '';
      paragraph = '';
    },
    endRow() {
      table += `<tr>${row}</tr>`;
      row = '';
    },
    /** What stands apart comes after the paragraph or table around it. */
    apart(more: string) {
      apart += more;
    },
    html(): string {
      if (cell !== '' || row !== '') sink.endCell();
      if (row !== '') sink.endRow();
      flushTable();
      return html + (paragraph === '' ? '' : `<p>${paragraph}</p>`);
    },
  };
  return sink;
};

export type RtfSink = ReturnType<typeof rtfSink>;
