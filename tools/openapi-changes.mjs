// What a change of the OpenAPI description takes away from a client that was written for the one before.

/** @typedef {Readonly<Record<string, any>>} Json */

/** @type {(schema: Json | undefined, document: Json) => Json} */
const resolved = (schema, document) => {
  const ref = schema?.$ref;
  if (typeof ref !== 'string') return schema ?? {};
  const target = ref
    .split('/')
    .slice(1)
    .reduce((at, token) => at?.[token], document);
  return { ...target, ...schema, $ref: undefined };
};

/** @type {(schema: Json) => string[]} */
const typesOf = ({ type, anyOf, const: constant }) => {
  if (Array.isArray(anyOf)) return [...new Set(anyOf.flatMap(typesOf))];
  if (constant !== undefined) return [typeof constant];
  return type === undefined ? [] : [type].flat();
};

/** @type {(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined) => unknown[]} */
const missing = (one = [], other = []) => one.filter((each) => !other.includes(each));

/**
 * Compares two schemas of the same value. A client reads what answers hold and writes what requests hold: an answer may gain
 * properties and a request may gain optional ones, and neither may lose or change any.
 * @param {{ before: Json, after: Json, documents: { before: Json, after: Json }, written: boolean }} pair
 * @param {string} place
 * @param {number} depth
 * @returns {string[]}
 */
const inSchema = ({ before: one, after: other, documents, written }, place, depth = 0) => {
  if (depth > 12) return [];
  const before = resolved(one, documents.before);
  const after = resolved(other, documents.after);
  const found = [];
  const had = typesOf(before);
  const has = typesOf(after);
  const changed = written ? missing(had, has) : missing(has, had);
  if (had.length > 0 && has.length > 0 && changed.length > 0)
    found.push(`${place} ${written ? 'no longer takes' : 'can now be'} ${changed.join(', ')}`);
  const values = written ? missing(before.enum, after.enum) : before.enum && missing(after.enum, before.enum);
  if (before.enum && after.enum && values.length > 0)
    found.push(`${place} ${written ? 'no longer takes' : 'can now be'} ${values.join(', ')}`);
  if (written) {
    for (const [name, narrower] of /** @type {const} */ ([
      ['minimum', 1],
      ['minLength', 1],
      ['minItems', 1],
      ['maximum', -1],
      ['maxLength', -1],
      ['maxItems', -1],
    ])) {
      if (
        after[name] !== undefined &&
        (before[name] === undefined ? narrower === -1 : (after[name] - before[name]) * narrower > 0)
      )
        found.push(`${place} has a tighter ${name}: ${after[name]}`);
    }
  }
  const required = written ? missing(after.required, before.required) : missing(before.required, after.required);
  for (const name of required)
    found.push(`${place}.${name} ${written ? 'is required now' : 'is no longer always there'}`);
  for (const [name, property] of Object.entries(before.properties ?? {})) {
    const counterpart = after.properties?.[name];
    if (counterpart === undefined) found.push(`${place}.${name} is gone`);
    else
      found.push(
        ...inSchema({ before: property, after: counterpart, documents, written }, `${place}.${name}`, depth + 1),
      );
  }
  if (before.items && after.items) {
    found.push(...inSchema({ before: before.items, after: after.items, documents, written }, `${place}[]`, depth + 1));
  }
  return found;
};

/** @type {(holder: Json | undefined) => Json | undefined} */
const schemaIn = (holder) => holder?.content?.['application/json']?.schema;

/** @type {(before: Json, after: Json, documents: { before: Json, after: Json }, place: string) => string[]} */
const inOperation = (before, after, documents, place) => {
  const found = [];
  for (const parameter of before.parameters ?? []) {
    const counterpart = after.parameters?.find(
      (/** @type {Json} */ each) => each.name === parameter.name && each.in === parameter.in,
    );
    const at = `${place} ${parameter.in}.${parameter.name}`;
    if (counterpart === undefined) found.push(`${at} is gone`);
    else found.push(...inSchema({ before: parameter.schema, after: counterpart.schema, documents, written: true }, at));
  }
  const known = new Set((before.parameters ?? []).map((/** @type {Json} */ each) => `${each.in}.${each.name}`));
  for (const { name, in: where, required } of after.parameters ?? []) {
    if (required && !known.has(`${where}.${name}`)) found.push(`${place} ${where}.${name} is required now`);
  }
  const sent = schemaIn(before.requestBody);
  const takes = schemaIn(after.requestBody);
  if (sent && takes) found.push(...inSchema({ before: sent, after: takes, documents, written: true }, `${place} body`));
  else if (!sent && takes && after.requestBody.required) found.push(`${place} needs a body now`);
  for (const [status, response] of Object.entries(before.responses)) {
    if (!status.startsWith('2')) continue;
    const counterpart = after.responses[status];
    if (counterpart === undefined) found.push(`${place} no longer answers ${status}`);
    const answered = schemaIn(response);
    const answers = schemaIn(counterpart);
    if (answered && answers)
      found.push(...inSchema({ before: answered, after: answers, documents, written: false }, `${place} ${status}`));
  }
  return found;
};

/**
 * Every change that can break a client, one line each. Texts, examples, error codes and additions break none.
 * @param {Json} before
 * @param {Json} after
 * @returns {string[]}
 */
export const breakingChanges = (before, after) => {
  const documents = { before, after };
  const found = [];
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === undefined) continue;
      const counterpart = after.paths[path]?.[method];
      const place = `${method.toUpperCase()} ${path}`;
      if (counterpart === undefined) found.push(`${place} is gone`);
      else found.push(...inOperation(/** @type {Json} */ (operation), counterpart, documents, place));
    }
  }
  return found;
};
