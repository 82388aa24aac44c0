import { expect } from 'chai';
import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { jsonPatches } from '../../src/adapters/system/json-patch.ts';
import type { Patched, PatchOperation } from '../../src/application/ports/json-patch.ts';
import { DomainError } from '../../src/domain/errors.ts';
import {
  escapeToken,
  isObject,
  isSameJson,
  type JsonObject,
  type JsonValue,
  leavesOf,
  resolvePointer,
} from '../../src/domain/json.ts';
import { jsonNumber, parseJson } from '../../src/domain/json-number.ts';

const patched = (text: string, ...operations: readonly PatchOperation[]) =>
  JSON.stringify(jsonPatches.apply(parseJson(text) as JsonValue, operations).value);

const refusal = (text: string, ...operations: readonly PatchOperation[]) => {
  try {
    jsonPatches.apply(parseJson(text) as JsonValue, operations);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid')
      return error.errors.map(({ path, message }) => `${path} ${message}`).join();
    throw error;
  }
  throw new Error('It was not refused.');
};

/** Where each leaf that was there before stands now → where it stood. */
const originsOf = (patched: Patched): ReadonlyMap<string, string> =>
  new Map([...patched.leaves()].flatMap(({ pointer, origin }) => (origin === null ? [] : [[pointer, origin]])));

describe('a JSON Patch', () => {
  it('does what the examples of RFC 6902 do', () => {
    expect(patched('{"foo":"bar"}', { op: 'add', path: '/baz', value: 'qux' })).to.equal('{"foo":"bar","baz":"qux"}');
    expect(patched('{"foo":["bar","baz"]}', { op: 'add', path: '/foo/1', value: 'qux' })).to.equal(
      '{"foo":["bar","qux","baz"]}',
    );
    expect(patched('{"baz":"qux","foo":"bar"}', { op: 'remove', path: '/baz' })).to.equal('{"foo":"bar"}');
    expect(patched('{"foo":["bar","qux","baz"]}', { op: 'remove', path: '/foo/1' })).to.equal('{"foo":["bar","baz"]}');
    expect(patched('{"baz":"qux"}', { op: 'replace', path: '/baz', value: 'boo' })).to.equal('{"baz":"boo"}');
    expect(patched('{"foo":{"a":1,"b":2},"qux":{}}', { op: 'move', from: '/foo/b', path: '/qux/c' })).to.equal(
      '{"foo":{"a":1},"qux":{"c":2}}',
    );
    expect(patched('{"foo":["all","grass","cows","eat"]}', { op: 'move', from: '/foo/1', path: '/foo/3' })).to.equal(
      '{"foo":["all","cows","eat","grass"]}',
    );
    const tests: readonly PatchOperation[] = [
      { op: 'test', path: '/baz', value: 'qux' },
      { op: 'test', path: '/foo/1', value: 2 },
      { op: 'test', path: '', value: { foo: ['a', jsonNumber('2.0'), 'c'], baz: 'qux' } },
    ];
    expect(patched('{"baz":"qux","foo":["a",2,"c"]}', ...tests)).to.equal('{"baz":"qux","foo":["a",2,"c"]}');
    expect(patched('{"/":9,"~1":10}', { op: 'test', path: '/~01', value: 10 })).to.equal('{"/":9,"~1":10}');
    expect(patched('{"foo":["bar"]}', { op: 'add', path: '/foo/-', value: ['abc', 'def'] })).to.equal(
      '{"foo":["bar",["abc","def"]]}',
    );
  });

  it('replaces the whole, and makes a document where there is none', () => {
    expect(patched('{"a":1}', { op: 'replace', path: '', value: { b: null } })).to.equal('{"b":null}');
    expect(patched('null', { op: 'add', path: '', value: { b: [] } }, { op: 'copy', from: '', path: '/b/0' })).to.equal(
      '{"b":[{"b":[]}]}',
    );
  });

  it('removes before it adds, where it moves within a list', () => {
    expect(patched('{"a":[1,{},{"k":2}]}', { op: 'move', from: '/a/0', path: '/a/1/x' })).to.equal(
      '{"a":[{},{"k":2,"x":1}]}',
    );
    expect(refusal('{"a":[1,2]}', { op: 'move', from: '/a/0', path: '/a/2' })).to.equal(
      'patch[0].path is not a place in a list of 1',
    );
  });

  it('keeps every digit, of the document and of the patch', () => {
    const exact = '{"id":9007199254740993,"sum":123456789012345678.90}';
    expect(
      patched(exact, { op: 'copy', from: '/id', path: '/again' }, { op: 'move', from: '/sum', path: '/total' }),
    ).to.equal('{"id":9007199254740993,"again":9007199254740993,"total":123456789012345678.9}');
    const value = { deep: [jsonNumber('0.1234567890123456789')] };
    expect(patched('{}', { op: 'add', path: '/v', value })).to.equal('{"v":{"deep":[0.1234567890123456789]}}');
    expect(refusal(exact, { op: 'test', path: '/id', value: jsonNumber('9007199254740992') })).to.equal(
      'patch[0].value is not what stands there',
    );
  });

  it('takes no name for more than a name', () => {
    const text =
      '{"constructor":{"prototype":{"x":1}},"__proto__":{"polluted":1},"%__proto__":2,"toString":3,"prototype":4}';
    expect(patched(text)).to.equal(text);
    expect(patched(text, { op: 'replace', path: '/constructor/prototype/x', value: 5 })).to.equal(
      text.replace('"x":1', '"x":5'),
    );
    expect(patched(text, { op: 'add', path: '/__proto__/polluted', value: 6 })).to.equal(
      text.replace('"polluted":1', '"polluted":6'),
    );
    expect(
      patched('{}', { op: 'add', path: '/__proto__', value: parseJson('{"a":{"__proto__":1}}') as JsonValue }),
    ).to.equal('{"__proto__":{"a":{"__proto__":1}}}');
    expect(refusal('{}', { op: 'remove', path: '/toString' })).to.equal(
      'patch[0].path leads to nothing in the document',
    );
    expect(refusal('{}', { op: 'replace', path: '/constructor/prototype/polluted', value: 1 })).to.include(
      'leads to nothing',
    );
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  });

  for (const [what, text, operation, message] of [
    ['a place that is not there', '{}', { op: 'remove', path: '/a' }, 'patch[0].path leads to nothing in the document'],
    [
      'a place in nothing',
      '{}',
      { op: 'add', path: '/a/b', value: 1 },
      'patch[0].path leads into nothing in the document',
    ],
    [
      'a place in a text',
      '{"a":"text"}',
      { op: 'add', path: '/a/0', value: 1 },
      'patch[0].path leads into nothing in the document',
    ],
    [
      'an index past the end',
      '{"a":[1]}',
      { op: 'add', path: '/a/2', value: 1 },
      'patch[0].path is not a place in a list of 1',
    ],
    [
      'an index with a zero before it',
      '{"a":[1,2]}',
      { op: 'add', path: '/a/01', value: 1 },
      'patch[0].path is not a place in a list of 2',
    ],
    [
      'a length',
      '{"a":[1,2]}',
      { op: 'replace', path: '/a/length', value: 0 },
      'patch[0].path leads to nothing in the document',
    ],
    [
      'the end of a list',
      '{"a":[1,2]}',
      { op: 'replace', path: '/a/-', value: 0 },
      'patch[0].path leads to nothing in the document',
    ],
    ['no value', '{"a":1}', { op: 'add', path: '/a' }, 'patch[0].value is required'],
    ['no source', '{"a":1}', { op: 'move', path: '/a' }, 'patch[0].from is required'],
    [
      'a source that is not there',
      '{"a":1}',
      { op: 'copy', from: '/b', path: '/a' },
      'patch[0].from leads to nothing in the document',
    ],
    [
      'what is moved into itself',
      '{"a":{}}',
      { op: 'move', from: '/a', path: '/a/b' },
      'patch[0].path leads into what is moved',
    ],
    [
      'the whole removed',
      '{"a":{}}',
      { op: 'remove', path: '' },
      'patch[0].path is the whole document, which cannot be removed',
    ],
    ['no pointer', '{"a":{}}', { op: 'add', path: 'a', value: 1 }, 'patch[0].path is not a JSON Pointer'],
  ] as const) {
    it(`is refused for ${what}`, () => expect(refusal(text, operation)).to.equal(message));
  }

  it('names the operation that cannot be applied, and leaves the value as it was', () => {
    const value = { a: [1] };
    const operations: readonly PatchOperation[] = [
      { op: 'add', path: '/a/-', value: 2 },
      { op: 'remove', path: '/b' },
    ];
    expect(() => jsonPatches.apply(value, operations)).to.throw(DomainError, 'patch[1].path');
    expect(value).to.deep.equal({ a: [1] });
  });

  const copies = (count: number, from: string) =>
    Array.from({ length: count }, (_, index): PatchOperation => ({ op: 'copy', from, path: `/${index}` }));

  it('does not grow without bound by copies of copies', () => {
    expect(refusal('{"a":1}', ...copies(1000, ''))).to.equal(
      'patch[18].from makes the patch copy, move and test more than 1000000 values',
    );
    const text = { op: 'add', path: '/text', value: 'x'.repeat(900_000) } as const;
    expect(refusal('{}', text, ...copies(300, '/text'))).to.equal(
      'patch[4].path makes a document that is longer than 4 MiB as JSON text',
    );
    expect(refusal('{}', { ...text, value: '\u00fc"'.repeat(300_000) }, ...copies(3, '/text'))).to.include(
      'patch[3].path makes',
    );
  });

  it('counts what it takes away, and the names of members', () => {
    const big = 'x'.repeat(3_000_000);
    const swaps = Array.from({ length: 20 }, (): readonly PatchOperation[] => [
      { op: 'replace', path: '/a~1b', value: '' },
      { op: 'replace', path: '/a~1b', value: big },
      { op: 'move', from: '/a~1b', path: '/list/0' },
      { op: 'move', from: '/list/0', path: '/a~1b' },
      { op: 'remove', path: '/a~1b' },
      { op: 'add', path: '/a~1b', value: big },
    ]);
    expect(patched(`{"list":[],"a/b":"${big}"}`, ...swaps.flat()).length).to.equal(big.length + 20);
    const [one, two] = ['n'.repeat(2_000_000), 'm'.repeat(2_300_000)];
    const named = (name: string): PatchOperation => ({ op: 'add', path: '', value: { [name]: 1 } });
    expect(patched('{}', named(two)).length).to.equal(two.length + 6);
    expect(refusal('{}', { op: 'add', path: '', value: { [one]: 1, [two]: 1 } })).to.include('patch[0].path makes');
  });

  it('leaves what no operation leads into as the object that it was', () => {
    const row = (index: number) => ({ index, at: { page: 1 } });
    const value = { rows: Array.from({ length: 5 }, (_, index) => row(index)), other: { list: [row(9)] } };
    const operations: readonly PatchOperation[] = [
      { op: 'replace', path: '/rows/1/index', value: 'one' },
      { op: 'remove', path: '/rows/3' },
      { op: 'add', path: '/rows/0', value: 'first' },
      { op: 'test', path: '/other', value: { list: [row(9)] } },
    ];
    const { rows, other } = jsonPatches.apply(value, operations).value as unknown as typeof value;
    expect(other).to.equal(value.other);
    expect(rows[1]).to.equal(value.rows[0]);
    expect(rows[2]).to.not.equal(value.rows[1]);
    expect(rows[2]?.at).to.equal(value.rows[1]?.at);
    expect(rows.slice(3)).to.have.ordered.members([value.rows[2], value.rows[4]]);
    expect(jsonPatches.apply(value, []).value).to.equal(value);
  });

  it('does not look at a large document again and again', () => {
    const text = JSON.stringify({ list: Array.from({ length: 300_000 }, () => 0) });
    const tests = Array.from({ length: 1000 }, (): PatchOperation => ({ op: 'test', path: '', value: {} }));
    expect(refusal(text, ...tests)).to.equal('patch[0].value is not what stands there');
    const moves = Array.from({ length: 1000 }, (): PatchOperation => ({ op: 'move', from: '/list', path: '/list' }));
    expect(refusal(text, ...moves)).to.equal(
      'patch[3].from makes the patch copy, move and test more than 1000000 values',
    );
  });

  describe('of any value', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const token = fc.constantFrom('a', 'b/c', '~', '', '0', '__proto__', 'constructor', '%prototype');
    const leaf = fc.oneof(
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom(null, true, 'text', jsonNumber('9007199254740993')),
    );
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(token, tie('value'), { maxKeys: 3 }),
      ) as fc.Arbitrary<JsonValue>,
    }));
    const pick = fc.nat({ max: 1000 });
    const plan = fc.array(
      fc.record({ op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy'), where: pick, from: pick, value }),
      {
        maxLength: 6,
      },
    );

    const placesIn = (at: JsonValue, pointer = ''): readonly string[] => [
      pointer,
      ...(isObject(at) || Array.isArray(at)
        ? Object.entries(at as JsonObject).flatMap(([key, item]) => placesIn(item, `${pointer}/${escapeToken(key)}`))
        : []),
    ];

    /** Operations most of which can be applied one after the other, as far as they can. */
    const operationsFor = (
      root: JsonValue,
      steps: readonly { op: string; where: number; from: number; value: JsonValue }[],
    ) => {
      const operations: PatchOperation[] = [];
      let now = root;
      for (const { op, where, from, value: given } of steps) {
        const places = placesIn(now);
        const at = (index: number) => places[index % places.length] as string;
        const next: PatchOperation = { op: op as PatchOperation['op'], path: at(where), from: at(from), value: given };
        try {
          now = jsonPatches.apply(now, [next]).value;
          operations.push(next);
        } catch (error) {
          expect(error).to.be.instanceOf(DomainError);
        }
      }
      return { operations, now };
    };

    before(() => console.log(`      seed ${seed}`));

    it('is the sum of its parts', () => {
      fc.assert(
        fc.property(value, plan, pick, (root, steps, cut) => {
          const { operations, now } = operationsFor(root, steps);
          const [first, second] = [operations.slice(0, cut % 7), operations.slice(cut % 7)];
          const half = jsonPatches.apply(root, first);
          const whole = jsonPatches.apply(half.value, second);
          const once = jsonPatches.apply(root, operations);
          expect(JSON.stringify(once.value)).to.equal(JSON.stringify(now));
          expect(JSON.stringify(whole.value)).to.equal(JSON.stringify(now));
          const halfway = originsOf(half);
          const through = [...originsOf(whole)].flatMap(([here, between]) => {
            const origin = halfway.get(between);
            return origin === undefined ? [] : [[here, origin] as const];
          });
          expect(new Map(through)).to.deep.equal(originsOf(once));
        }),
        { seed, numRuns: 300 },
      );
    });

    /** The same, with a text in place of each value that has no parts. */
    const labelled = (at: JsonValue, label: (pointer: string) => string, pointer = ''): JsonValue => {
      if (Array.isArray(at)) return at.map((item, index) => labelled(item, label, `${pointer}/${index}`));
      if (!isObject(at)) return label(pointer);
      return Object.fromEntries(
        Object.entries(at as JsonObject).map(([key, item]) => [
          key,
          labelled(item, label, `${pointer}/${escapeToken(key)}`),
        ]),
      );
    };

    it('has the values and the origins that the package finds where it is given the whole', () => {
      const plain = value.filter(
        (root) => !/__proto__|constructor|prototype|9007199254740993/.test(JSON.stringify(root)),
      );
      fc.assert(
        fc.property(plain, plan, (root, steps) => {
          const { operations: all } = operationsFor(
            root,
            steps.filter((step) => !/__proto__|constructor|prototype|9007199254740993/.test(JSON.stringify(step))),
          );
          // The package puts a member that is moved to where it is behind the others; here it stays.
          const operations = all.filter(({ op, path, from }) => op !== 'move' || path !== from);
          const wholly = (document: JsonValue, label: (given: JsonValue) => JsonValue) => {
            const at = structuredClone({ document });
            for (const { op, path: to, from: source, value: given } of operations) {
              const [path, from] = [`/document${to}`, `/document${source}`];
              // RFC 6902, section 4.4; the package looks the place up before it takes away what is moved.
              const moved = [
                { op: 'remove', path: from },
                { op: 'add', path, value: op === 'move' ? resolvePointer(at, from) : null },
              ];
              const done = op === 'move' ? moved : [{ op, path, from, value: label(given as JsonValue) }];
              expect(applyPatch(at, done as Parameters<typeof applyPatch>[1])).to.deep.equal(done.map(() => null));
            }
            return at.document;
          };
          const patched = jsonPatches.apply(root, operations);
          expect(JSON.stringify(patched.value)).to.equal(JSON.stringify(wholly(root, (given) => given)));
          const origins = wholly(
            labelled(root, (pointer) => `was ${pointer}`),
            (given) => labelled(given, () => 'new'),
          );
          const found = [...patched.leaves()].map(({ pointer, origin }) => [
            pointer,
            origin === null ? 'new' : `was ${origin}`,
          ]);
          expect(found).to.deep.equal(leavesOf(origins));
        }),
        { seed, numRuns: 300 },
      );
    });

    it('leads from each leaf that was there to where it was, with the same value', () => {
      fc.assert(
        fc.property(value, plan, (root, steps) => {
          const { operations, now } = operationsFor(root, steps);
          const origins = originsOf(jsonPatches.apply(root, operations));
          for (const [here, origin] of origins) {
            expect(
              isSameJson(resolvePointer(now, here) as JsonValue, resolvePointer(root, origin) as JsonValue),
            ).to.equal(true);
          }
          const untouched = originsOf(jsonPatches.apply(root, []));
          for (const [pointer] of leavesOf(root)) expect(untouched.get(pointer)).to.equal(pointer);
        }),
        { seed, numRuns: 300 },
      );
    });
  });
});
