import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import * as t from 'io-ts';
import type { ValidationError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { document, exampleDocument } from '../../src/wire/document.ts';
import { event, exampleEvent } from '../../src/wire/event.ts';
import { fileName } from '../../src/wire/file.ts';
import { named, schemaOf } from '../../src/wire/kit/codec.ts';
import { decodeAt } from '../../src/wire/kit/errors.ts';
import { hasForm } from '../../src/wire/kit/form.ts';
import * as structures from '../../src/wire/kit/structures.ts';
import * as codecs from '../../src/wire/kit/values.ts';
import { exampleRun, runDetail } from '../../src/wire/run.ts';
import { anyCharacter } from '../support/arbitraries.ts';

const { closed, list, map, nullable, optional, wire, withDefault } = structures;

const decode = <A>(codec: t.Type<A, unknown, unknown>, value: unknown) => {
  const errors: ValidationError[] = [];
  return { value: decodeAt('body', codec, value, errors), errors };
};

const errors = (codec: t.Mixed, value: unknown) =>
  decode(codec, value).errors.map(({ path, message }) => `${path} ${message}`);

describe('codecs', () => {
  const thing = wire({
    thingName: codecs.text({ min: 1, max: 3 }),
    size: optional(codecs.integer({ min: 0, max: 9 })),
    kind: withDefault(codecs.oneOf('a', 'b'), 'a'),
    note: nullable(codecs.text({ max: 5 })),
    parts: list(wire({ partId: codecs.uuid }), { min: 1, max: 2 }),
    extra: optional(map(codecs.boolean)),
  });

  it('read the wire’s names into the program’s, and write them back', () => {
    const onWire = {
      thing_name: 'abc',
      note: null,
      parts: [{ part_id: 'AAAAAAAA-0000-0000-0000-000000000000' }],
      unknown: 1,
    };
    const { value } = decode(thing, onWire);
    expect(value).to.deep.equal({
      thingName: 'abc',
      size: undefined,
      kind: 'a',
      note: null,
      extra: undefined,
      parts: [{ partId: 'aaaaaaaa-0000-0000-0000-000000000000' }],
    });
    expect(value && thing.encode(value)).to.deep.equal({
      thing_name: 'abc',
      kind: 'a',
      note: null,
      parts: [{ part_id: 'aaaaaaaa-0000-0000-0000-000000000000' }],
    });
  });

  it('write nothing that is not listed', () => {
    const secret = { id: 'x', password: 'hunter2' };
    expect(wire({ id: t.string }).encode(secret)).to.deep.equal({ id: 'x' });
  });

  it('read nothing that an object only inherits', () => {
    expect(decode(wire({ constructor: optional(codecs.boolean) }), {}).errors).to.deep.equal([]);
  });

  it('say every error in plain words, where it is and what was expected', () => {
    expect(
      errors(thing, {
        thing_name: 'abcd',
        size: 10,
        kind: 'c',
        note: 7,
        parts: [{ part_id: 'x' }, null],
        extra: { 'odd key': 1 },
      }),
    ).to.deep.equal([
      'body.thing_name must be a string of 1 to 3 characters, without NUL, not "abcd"',
      'body.size must be an integer from 0 to 9, not 10',
      'body.kind must be one of a, b, not "c"',
      'body.note must be a string of at most 5 characters, without NUL, not 7',
      'body.parts[0].part_id must be a UUID, not "x"',
      'body.parts[1] must be an object, not null',
      'body.extra["odd key"] must be true or false, not 1',
    ]);
    expect(errors(thing, { parts: [] })).to.deep.equal([
      'body.thing_name is required: it must be a string of 1 to 3 characters, without NUL',
      'body.note is required: it must be a string of at most 5 characters, without NUL',
      'body.parts must be a list of 1 to 2 items, not of 0',
    ]);
    expect(errors(thing, [])).to.deep.equal(['body must be an object, not a list']);
    expect(errors(thing, undefined)).to.deep.equal(['body is required: it must be an object']);
    expect(errors(closed({ query: t.string }), { query: 'a', a: 1 })).to.deep.equal([
      'body.a is not a property here: there is only query',
    ]);
  });

  it('describe themselves, and refuse to be described where they cannot', () => {
    const components = new Map();
    const person = named('Person', wire({ fullName: t.string, boss: nullable(t.string) }));
    expect(schemaOf(list(nullable(person)), components)).to.deep.equal({
      type: 'array',
      items: { anyOf: [{ $ref: '#/components/schemas/Person' }, { type: 'null' }] },
    });
    expect(components.get('Person')).to.deep.equal({
      type: 'object',
      properties: { full_name: { type: 'string' }, boss: { type: ['string', 'null'] } },
      required: ['full_name', 'boss'],
    });
    expect(() => schemaOf(t.Int, new Map())).to.throw('codecOf()');
  });

  it('allow exactly what their schemas allow', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default.default(ajv);
    const every: Readonly<Record<string, t.Mixed>> = {
      text: codecs.text({ min: 1, max: 4 }),
      integer: codecs.integer({ min: -2, max: 3 }),
      boolean: codecs.boolean,
      uuid: codecs.uuid,
      oneOf: codecs.oneOf('x', 'y'),
      mediaType: codecs.mediaType,
      fileName,
      list: list(codecs.boolean, { min: 1, max: 2 }),
      nullable: nullable(codecs.oneOf('x')),
      map: map(codecs.integer({ min: 0 })),
      wire: wire({ aB: codecs.boolean, c: optional(codecs.boolean) }),
      closed: closed({ aB: codecs.boolean }),
    };
    const value = fc.oneof(
      fc.string({ maxLength: 6, unit: anyCharacter }),
      fc.constantFrom(
        'x',
        'y',
        'a/b',
        'text/plain; charset=utf-8',
        'text/plain;',
        'é',
        '😀😀😀😀',
        '😀😀😀😀😀',
        '',
        '/',
        'a\\b',
        '\u0085',
      ),
      fc.uuid(),
      fc.integer({ min: -5, max: 5 }),
      fc.double(),
      fc.array(fc.oneof(fc.boolean(), fc.constant(1)), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('a_b', 'c', 'd', '__proto__'),
        fc.oneof(fc.boolean(), fc.integer({ min: -1, max: 1 })),
      ),
      fc.constantFrom(null, true),
    );
    const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
    for (const [name, codec] of Object.entries(every)) {
      const validate = ajv.compile(schemaOf(codec, new Map()));
      fc.assert(
        fc.property(value, (each) => {
          const storable = typeof each !== 'string' || (!each.includes('\0') && each.isWellFormed());
          expect(decode(codec, each).errors.length === 0, `${name} of ${JSON.stringify(each)} (seed ${seed})`).to.equal(
            validate(each) && storable,
          );
        }),
        { seed, numRuns: 300 },
      );
    }
  });
});

describe('base64', () => {
  const { base64 } = codecs;

  it('is read into its bytes, and nothing else is', () => {
    for (const bytes of ['', 'A', 'AB', 'ABC', 'ABCD'].map((part) => Buffer.from(part)))
      expect(decode(base64(4), bytes.toString('base64'))).to.deep.equal({ value: bytes, errors: [] });
    for (const wrong of ['A', 'QQ', 'Q===', 'QQ=A', 'Q Q=', 'QUJDRA==QUJD', 7, 'QUJDREVG'.repeat(2)])
      expect(decode(base64(4), wrong).errors, String(wrong)).to.have.length(1);
  });
});

describe('the form of an answer', () => {
  const shape = wire({
    id: codecs.uuid,
    status: codecs.oneOf('queued', 'running'),
    size: nullable(codecs.integer({ min: 1, max: 9 })),
    parts: list(wire({ partId: codecs.string }), { max: 1 }),
    names: map(codecs.string),
    by: nullable(wire({ name: codecs.string })),
  });
  const answer = { id: 'x', status: 'resting', size: null, parts: [], names: {}, by: null };

  it('is what its fields are, whatever their words and bounds, and whatever else there is', () => {
    for (const more of [
      {},
      { size: 12, more: 'to come', parts: [{ part_id: 'a' }, { part_id: 'b' }] },
      { size: jsonNumber('12345678901234567890'), by: { name: 'Ada' } },
    ])
      expect(hasForm(shape, { ...answer, ...more }), JSON.stringify(more)).to.equal(true);
    const { by, ...less } = answer;
    for (const wrong of [
      null,
      [],
      'text',
      less,
      { ...answer, id: 1 },
      { ...answer, size: '1' },
      { ...answer, parts: [{}] },
      { ...answer, names: { a: 1 } },
      { ...answer, by: {} },
      { ...answer, by: 'Ada' },
    ])
      expect(hasForm(shape, wrong), JSON.stringify(wrong)).to.equal(false);
  });

  it('is kept by every example', () => {
    expect(hasForm(document, document.encode(exampleDocument))).to.equal(true);
    expect(hasForm(event, event.encode(exampleEvent))).to.equal(true);
    expect(hasForm(runDetail, runDetail.encode(exampleRun))).to.equal(true);
  });
});
