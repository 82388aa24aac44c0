/** Around a part that needs brackets where it is more than a number or a name. */
const OPEN = '\ue000';
const CLOSE = '\ue001';
const INNERMOST = new RegExp(`${OPEN}([^${OPEN}${CLOSE}]*)${CLOSE}`, 'g');
const SIMPLE = /^[\p{L}\p{N}.,]*$/u;

/** What stands before a part of a formula of Office (ECMA-376 part 1, 22.1.2), and behind it, where it is read on one line. */
const BEFORE: ReadonlyMap<string, string> = new Map([
  ['m:f', ' '],
  ['m:num', OPEN],
  ['m:den', `/${OPEN}`],
  ['m:sup', `^${OPEN}`],
  ['m:sub', `_${OPEN}`],
  ['m:rad', ` √${OPEN}`],
  ['m:deg', '['],
  ['m:mr', ' '],
]);
const BEHIND: ReadonlyMap<string, string> = new Map([
  ['m:f', ' '],
  ['m:num', CLOSE],
  ['m:den', CLOSE],
  ['m:sup', CLOSE],
  ['m:sub', CLOSE],
  ['m:rad', CLOSE],
  ['m:deg', ']'],
  ['m:mr', ';'],
]);
/** Elements whose parts stand side by side, below each other, or behind limits. */
const DIVIDED = new Set(['m:mr', 'm:eqArr', 'm:nary']);

interface Brackets {
  before: string;
  behind: string;
  isOpen: boolean;
}

/** A formula while its elements open and close: `1/2` and `10^3`, where its letters alone would say 12 and 103. */
export class Formula {
  private written = '';
  private readonly brackets: Brackets[] = [];

  open(name: string, parent: string, value: string | undefined): void {
    const around = this.brackets.at(-1);
    if (name === 'm:d') this.brackets.push({ before: '(', behind: ')', isOpen: false });
    else if (name === 'm:begChr' && around) around.before = value ?? '';
    else if (name === 'm:endChr' && around) around.behind = value ?? '';
    else if (name === 'm:chr' && parent === 'm:naryPr') this.written += value ?? '';
    else if (name === 'm:e' && parent === 'm:d' && around) {
      this.written += around.isOpen ? '|' : around.before;
      around.isOpen = true;
    } else if (name === 'm:e' && DIVIDED.has(parent)) this.written += ' ';
    else this.written += BEFORE.get(name) ?? '';
  }

  text(text: string): void {
    this.written += text;
  }

  close(name: string): void {
    this.written += name === 'm:d' ? (this.brackets.pop()?.behind ?? '') : (BEHIND.get(name) ?? '');
  }

  /** The whole of it on one line. */
  get line(): string {
    let line = this.written.replace(new RegExp(`[\\^_]${OPEN}${CLOSE}|\\[\\]`, 'g'), '');
    for (let before = ''; before !== line; ) {
      before = line;
      line = line.replace(INNERMOST, (_, part: string) => (SIMPLE.test(part) ? part : `(${part.trim()})`));
    }
    return line.replace(/ {2,}/g, ' ');
  }
}
