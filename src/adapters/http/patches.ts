import * as t from 'io-ts';
import type { CorrectionRequest } from '../../application/documents/correction.ts';
import type { PatchOperation } from '../../application/ports/json-patch.ts';
import { isObject, type JsonObject } from '../../domain/json.ts';
import type { MergePatch } from '../../domain/merge-patch.ts';
import { box } from '../../wire/box.ts';
import { exampleDocument } from '../../wire/document.ts';
import { type Codec, codecOf } from '../../wire/kit/codec.ts';
import { unexpected } from '../../wire/kit/errors.ts';
import { about, list, map, nullable, optional, wire, withDefault } from '../../wire/kit/structures.ts';
import { anyJson, integer, jsonPointer, oneOf, text } from '../../wire/kit/values.ts';

const pointer = jsonPointer(4000);

const patchOperation = wire({
  op: oneOf('add', 'remove', 'replace', 'move', 'copy', 'test'),
  path: pointer,
  from: about('Of `move` and `copy`.', optional(pointer)),
  value: about('Of `add`, `replace` and `test`.', optional(anyJson)),
});

const jsonPatch = list(patchOperation, { max: 1000 });

const foundPlace = wire({
  fileName: text({ min: 1, max: 255 }),
  page: withDefault(nullable(integer({ min: 1 })), null),
  boxes: withDefault(list(box, { max: 100 }), []),
});

/** What corrects a document, as JSON: its patch is a JSON Patch then. */
export const correction = wire({
  patch: about('Done one after the other.', jsonPatch),
  evidence: about(
    'JSON Pointer of a value that the patch changes → where it stands.',
    withDefault(map(foundPlace), {}),
  ),
}) as Codec<CorrectionRequest>;

export const exampleCorrection: CorrectionRequest = {
  patch: [{ op: 'replace', path: '/total', value: 1910.5 }],
  evidence: {
    '/total': {
      fileName: exampleDocument.name,
      page: 2,
      boxes: [{ page: 2, x: 0.61, y: 0.72, width: 0.27, height: 0.014 }],
    },
  },
};

const without = (patch: t.Validation<CorrectionRequest['patch']>): t.Validation<CorrectionRequest> =>
  patch._tag === 'Right' ? t.success({ patch: patch.right, evidence: {} }) : patch;

const jsonPatchAlone = codecOf<CorrectionRequest>(
  (value, context) => without(jsonPatch.validate(value, context)),
  ({ patch }) => jsonPatch.encode(patch as readonly PatchOperation[]),
  (schemaOf) => schemaOf(jsonPatch),
);

const mergePatchAlone = codecOf<CorrectionRequest>(
  (value, context) =>
    without(
      isObject(value)
        ? t.success({ merge: value as JsonObject })
        : unexpected({ expected: 'an object' }, value, context),
    ),
  ({ patch }) => (patch as MergePatch).merge,
  () => ({ type: 'object', additionalProperties: true }),
);

/** Corrections that are a patch and nothing else, by their media types. */
export const patchesAlone = {
  field: 'patch',
  types: {
    'application/json-patch+json': { codec: jsonPatchAlone, example: exampleCorrection },
    'application/merge-patch+json': {
      codec: mergePatchAlone,
      example: { patch: { merge: { total: 1910.5, note: null } }, evidence: {} },
    },
  },
} as const;

export const PATCH_TYPES = ['application/json', ...Object.keys(patchesAlone.types)].join(', ');
