import { expect } from 'chai';
import { readFile } from '../../src/adapters/text/read-file.ts';
import { bytes, email } from '../fixtures/text/files.ts';

const read = async (html: string) => {
  const [part] = await readFile({ fileName: 'a.html', contentType: '', data: bytes(html) }, 10_000);
  return { text: part?.pages[0]?.text, notes: (part?.notes ?? []).map(({ kind, what }) => `${kind}: ${what}`) };
};
const total = '<p>Total: 84.00</p>';

describe('HTML whose styles keep words apart', () => {
  const apart: readonly string[] = [
    '<div style="display:flex"><span>Total</span><span>84.00</span></div>',
    '<p style="display: inline-grid">Total<b>84.00</b></p>',
    '<style>.row { display: FLEX; justify-content: space-between }</style><div class="row"><i>Total</i><i>84.00</i></div>',
    '<span style="display:block">Total</span><span style="display:block">84.00</span>',
    '<b style="display:table-cell">Total</b><b style="display:table-cell">84.00</b>',
    '<span style="float:left">Total</span><span style="float: RIGHT">84.00</span>',
    '<span style="display:inline-block;width:100px">Total</span><span style="display:inline-block">84.00</span>',
    '<style>.label { padding: 0 20px }</style><span class="label">Total</span><b>84.00</b>',
    '<b>Total</b><i style="margin-left:1em">84.00</i>',
  ];
  for (const html of apart)
    it(`is read with them apart: ${html}`, async () => {
      expect(await read(`<!doctype html><html><body>${html}</body></html>`)).to.deep.equal({
        text: 'Total 84.00',
        notes: [],
      });
    });

  for (const html of [
    '<p style="display:block"><b>84</b><i>.00</i></p>',
    '<p><b style="display:inline">84</b><span style="color:red">.00</span></p>',
    '<p><span class="whole">84</span><span class="rest">.00</span></p>',
    '<p><b style="display:inline-block">84</b><span style="padding: 2px 0">.00</span></p>',
    '<p><b style="float:left;font-size:3em">8</b><b style="padding:4px">4</b>.00</p>',
  ])
    it(`is read with the parts of a word together: ${html}`, async () => {
      expect((await read(html)).text).to.equal('84.00');
    });
});

describe('HTML that hides something', () => {
  const hidden: readonly string[] = [
    '<div style="DISPLAY : none; max-height:0">City: Hiddenville</div>',
    '<div style="color:red;visibility:hidden">City: Hiddenville</div>',
    '<span style="mso-hide:all">City: Hiddenville</span>',
    '<p hidden>City: Hiddenville</p>',
    '<template>City: Hiddenville</template>',
    '<noscript>City: Hiddenville</noscript>',
    '<dialog>City: Hiddenville</dialog>',
    '<datalist><option>Hiddenville</option></datalist>',
    '<style>/* a */ .x, #y { color: red; display: none !important }</style><p class="x">City</p>',
    '<table><tr style="display:none"><td>City</td></tr></table>',
    '<div style="display:none"><p style="display:none">City</p></div>',
    '<style>.x { display: none } p { display: block }</style><p class="x">City</p>',
    '<style>.x { display: none !important }</style><p class="x" style="display:block">City</p>',
    '<div style="opacity:0">City</div>',
    '<div style="max-height:0;overflow:hidden">City</div>',
    '<div style="position:absolute;left:-9999px">City</div>',
    '<div style="text-indent:-1000em">City</div>',
    '<div style="font-size:0px;line-height:0">City</div>',
    '<p style="color:#ffffff">City</p>',
    '<p style="color:transparent">City</p>',
    '<p><font color="white">City</font></p>',
    '<style>.x { color: rgb(255, 255, 254) }</style><p class="x">City</p>',
    '<table bgcolor="#333333"><tr><td><p style="color:#333">City</p></td></tr></table>',
    '<div style="background:navy"><p style="background-color:white;color:white">City</p></div>',
    '<style>body { color: white } p { color: black }</style><div>City</div>',
    '<style>@media print { p { background: black } }</style><p style="color:white">City</p>',
    '<style>p:hover { background: black }</style><p style="color:white">City</p>',
    '<a href="https://a.example" style="color:white"><b>City</b></a>',
  ];
  for (const html of hidden) {
    it(`is read without it, and says so: ${html}`, async () => {
      expect(await read(`<!doctype html><html><body>${html}${total}</body></html>`)).to.deep.equal({
        text: 'Total: 84.00',
        notes: ['hidden: 1 hidden element'],
      });
    });
  }

  const shown: readonly string[] = [
    '<p style="backface-visibility:hidden">City</p>',
    '<style>@media print { .x { display: none } }</style><p class="x">City</p>',
    '<style>.x { display: none } .x { display: block }</style><p class="x">City</p>',
    '<style>.x { display: none }</style><p class="x" style="display: block">City</p>',
    '<style>p:hover { display: none }</style><p>City</p>',
    '<style>#x { display: block } .x { display: none }</style><p class="x" id="x">City</p>',
    '<div style="max-height:0">City</div>',
    '<div style="left:-9999px">City</div>',
    '<div style="opacity:0.5">City</div>',
    '<div style="font-size:0"><p style="font-size:13px">City</p></div>',
    '<p style="color:#ddd">City</p>',
    '<div style="color:white"><p style="color:black">City</p></div>',
    '<div style="background:#0057b8"><p style="color:white">City</p></div>',
    '<table bgcolor="black"><tr><td><font color="white">City</font></td></tr></table>',
    '<div style="background:url(a.png)"><p style="color:white">City</p></div>',
    '<div style="background-image:linear-gradient(red, blue)"><p style="color:white">City</p></div>',
    '<div style="background:var(--dark)"><p style="color:white">City</p></div>',
    '<p style="color:var(--light)">City</p>',
    '<table background="a.png"><tr><td style="color:white">City</td></tr></table>',
    '<div style="position:absolute;color:white">City</div>',
    '<style>.x { background: black }</style><div class="x"><p style="color:white">City</p></div>',
    '<style>.x:first-child { background: black }</style><div class="x"><p style="color:white">City</p></div>',
    '<style>@media (min-width: 600px) { .x { background: black } }</style><div class="x"><p style="color:white">City</p></div>',
    '<link rel="stylesheet" href="a.css"><p style="color:white">City</p>',
    '<style>p { background: black } p { color: white }</style><p>City</p>',
    '<body bgcolor="black" text="white"><p>City</p></body>',
    '<div style="background:black;color:yellow"><mark>City</mark></div>',
  ];
  for (const html of shown) {
    it(`is read with what is shown all the same: ${html}`, async () => {
      const { text, notes } = await read(`<!doctype html><html><body>${html}${total}</body></html>`);
      expect(text).to.match(/^City\n+Total: 84\.00$/);
      expect(notes).to.deep.equal([]);
    });
  }

  it('is read in a mail by the same rule', async () => {
    const data = email(`<html><body><div style="display:none">Preview</div>${total}</body></html>`, [], 'text/html');
    const [part] = await readFile({ fileName: 'a.eml', contentType: '', data }, 10_000);
    expect(part?.pages[0]?.text).to.match(/\n\nTotal: 84\.00$/);
    expect(part?.notes).to.deep.equal([{ kind: 'hidden', page: null, what: '1 hidden element' }]);
  });

  it('is said of a mail that shows nothing else', async () => {
    const data = email('<p style="color:white">City</p>', [], 'text/html');
    const [part] = await readFile({ fileName: 'a.eml', contentType: '', data }, 10_000);
    expect(part?.notes).to.deep.equal([{ kind: 'hidden', page: null, what: '1 hidden element' }]);
  });

  it('is read behind the end of its body, too', async () => {
    const { text } = await read(
      `<div><html><head><title>T</title><style>p{}</style></head><body><p>City</p></body>${total}<script>x</script></html></div>`,
    );
    expect(text).to.equal('City\n\nTotal: 84.00');
  });

  it('is read whatever its elements are called', async () => {
    const { text, notes } = await read(`<body><Constructor style="color:gray">City</Constructor>${total}</body>`);
    expect({ text, notes }).to.deep.equal({ text: 'City\n\nTotal: 84.00', notes: [] });
  });

  it('is read however deep and long it is', async () => {
    const { text } = await read(`<body><i hidden>x</i>${'<div>'.repeat(50_000)}${total}`);
    expect(text ?? '').not.to.include('x');
    const styles = `<style>${Array.from({ length: 5000 }, (_, index) => `.c${index}{display:none}`).join('')}</style>`;
    expect((await read(`<body>${styles}${total}${'<p>a</p>'.repeat(2000)}`)).text?.slice(0, 12)).to.equal(
      'Total: 84.00',
    );
  });
});

describe('HTML in a font of symbols', () => {
  const drawn: Readonly<Record<string, string>> = {
    '<p>Total <span style="font-family:Wingdings">&#252;</span></p>': 'Total ✓',
    '<p>Total <span style="font-family: \'Wingdings\', serif">&#xF0FE;</span></p>': 'Total 🗹',
    '<p>Total <font face="Wingdings">J</font></p>': 'Total ☺',
    '<style>.tick { font: bold 12pt/1.2 "Wingdings 2", serif }</style><p>Total <b class="tick">P</b></p>': 'Total 🗸',
    '<p style="font-family:Symbol">a<span style="font:7pt Times New Roman">a</span></p>': 'αa',
    '<p style="font-family:Arial, Wingdings">J</p>': 'J',
    '<p style="font-family:Arial">&#xF0FE;J</p>': '\uf0feJ',
    '<p style="font-family:Wingdings"><s>J</s></p>': '~~☺~~',
  };
  for (const [html, text] of Object.entries(drawn))
    it(`is read as the signs that it shows: ${html}`, async () => {
      expect(await read(`<!doctype html><html><body>${html}</body></html>`)).to.deep.equal({ text, notes: [] });
    });

  it('says how many of them nobody knows', async () => {
    expect(await read('<p>Total <font face="Wingdings">&#255;</font></p>')).to.deep.equal({
      text: 'Total',
      notes: ['unread: 1 sign of a font of symbols'],
    });
  });
});

describe('lists of HTML', () => {
  const lists: readonly (readonly [html: string, text: string])[] = [
    ['<ol start=5><li>a<li>b<li value=20>c<li>d</ol>', '5. a|6. b|20. c|21. d'],
    ['<ol reversed><li>a<li>b<li>c</ol>', '3. a|2. b|1. c'],
    ['<ol reversed start=10><li>a<li value=4>b<li>c</ol>', '10. a|4. b|3. c'],
    ['<ol start=x><li value="">a<li>b</ol>', '1. a|2. b'],
    ['<ol start=0><li>a</ol><ol start=-1><li>b<li>c</ol>', '0. a||-1. b|0. c'],
    ['<ol type=a start=26><li>a<li>b<li>c</ol>', 'z. a|aa. b|ab. c'],
    ['<ol type=I start=4><li>a<li type=1>b</ol>', 'IV. a|5. b'],
    ['<ol type=i start=4000><li>a</ol>', '4000. a'],
    [`<ol start=1${'0'.repeat(400)}><li>a</ol>`, '1. a'],
    ['<ul><li value=7>a<ol start=3><li>b</ol></ul>', '* a|3. b'],
    ['<ul style="list-style-type:decimal"><li>a<li>b</ul>', '1. a|2. b'],
    ['<ol style="list-style: upper-roman inside"><li>a<li>b</ol>', 'I. a|II. b'],
    ['<style>ol { list-style: none }</style><ol><li>a<li>b</ol>', 'a|b'],
    ['<style>ol { list-style: none }</style><ol><li>a<ul><li>b</ul></ol>', 'a|* b'],
    ['<style>li { display: inline-block }</style><ol><li>a<li>b</ol>', 'a|b'],
    [
      '<style>ol { list-style: none } li::before { content: counter(n) ". " }</style><ol start=3><li>a<li>b</ol>',
      '3. a|4. b',
    ],
  ];
  for (const [html, text] of lists)
    it(`have the numbers that browsers show: ${html.slice(0, 100)}`, async () => {
      const read = (await readFile({ fileName: 'a.html', contentType: '', data: bytes(html) }, 10_000))[0];
      const lines = read?.pages[0]?.text.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
      expect(lines?.join('|')).to.equal(text);
    });

  it('are read however long they are', async () => {
    const { text } = await read(`<ol start=2>${'<li>a'.repeat(200_000)}</ol>`);
    expect(text?.slice(0, 20).split('\n')[0]?.replace(/ +/g, ' ')).to.equal(' 2. a');
  });
});

describe('HTML with elements in each other', () => {
  for (const [begin, end] of [
    ['<font>', ''],
    ['<b style="color:red">', '</b>'],
    ['<table><tr><td>', '</td></tr></table>'],
    ['<s>', '</s>'],
  ] as const)
    it(`is read with what is within three hundred of them: ${begin}`, async () => {
      const { text } = await read(`<p>Invoice</p>${begin.repeat(300)}Total: 84.00${end.repeat(300)}<p>Due</p>`);
      expect(text?.replaceAll('~', '').split(/\s*\n\s*/)).to.deep.equal(['Invoice', 'Total: 84.00', 'Due']);
    });

  it('is read where they have no end tags, end themselves or stand in scripts and comments', async () => {
    const { text } = await read(
      [
        '<p title="<b>">Total: 84.00</p>',
        `<script>for (i = 0; i${'<a'.repeat(2000)}</script>`,
        `<!-- ${'<b>'.repeat(2000)} --><!-->`,
        `<svg>${'<path d="M0 0>"/>'.repeat(2000)}</svg>`,
        '<ul>',
        '<li>a'.repeat(2000),
        '</ul>',
        '<p>a'.repeat(2000),
        `<table>${'<tr><td>a<td>b'.repeat(2000)}</table>`,
      ].join(''),
    );
    expect(text).to.match(/^Total: 84\.00\n/);
  });
});
