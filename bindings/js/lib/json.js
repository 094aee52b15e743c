// Writes JavaScript values as JSON text, and refuses what JSON does not have.
//
// JSON.stringify would change the value without a word: NaN becomes null, a Map becomes {}, a Date a
// string. A verdict would then be about another value than the one that the program goes on with.

/** A value that has no JSON text. `path` is a JSON pointer to it. */
export class NotJson {
  constructor(what) {
    this.what = what;
    this.path = '';
  }
}

/**
 * The JSON text of a value. Members whose value is `undefined` are left out, as on the wire. Text that
 * grows beyond `most` characters is returned as far as it is: the reader refuses it for its length.
 */
export function jsonText(value, most) {
  return write(value, '', most, DEPTH);
}

function write(value, before, most, levels) {
  switch (typeof value) {
    case 'string':
      return before + quoted(value);
    case 'number':
      // Infinity - Infinity and NaN - NaN are NaN.
      if (value - value === 0) return before + value;
      throw new NotJson(String(value));
    case 'boolean':
      return before + value;
    case 'object':
      if (value === null) return before + 'null';
      if (levels === 0) throw new NotJson(`a value with more than ${DEPTH} levels, or one that holds itself`);
      return Array.isArray(value) ? writeArray(value, before, most, levels - 1) : writeObject(value, before, most, levels - 1);
    case 'bigint':
      throw new NotJson('a BigInt');
    default:
      throw new NotJson(value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function writeArray(array, before, most, levels) {
  let text = before + '[';
  let index = 0;
  try {
    for (; index < array.length && text.length <= most; index++) {
      if (index > 0) text += ',';
      text = write(array[index], text, most, levels);
    }
  } catch (error) {
    throw within(error, String(index));
  }
  return text + ']';
}

function writeObject(object, before, most, levels) {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && !isPlain(prototype)) throw new NotJson(`an object of class ${className(object)}`);
  let text = before + '{';
  let comma = '';
  let name;
  try {
    for (name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      text = write(member, text + comma + quoted(name) + ':', most, levels);
      if (text.length > most) break;
      comma = ',';
    }
  } catch (error) {
    throw within(error, name);
  }
  return text + '}';
}

/** Whether objects of this prototype are plain: none, or another realm's `Object.prototype`. */
function isPlain(prototype) {
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function className(object) {
  const name = object.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'its own';
}

function quoted(text) {
  // A lone surrogate stays one: JSON.stringify writes an escape, which the reader refuses.
  return SPECIAL.test(text) ? JSON.stringify(text) : '"' + text + '"';
}

function within(error, name) {
  if (error instanceof NotJson) error.path = '/' + name.replaceAll('~', '~0').replaceAll('/', '~1') + error.path;
  return error;
}

/** What a JSON string cannot hold as it is, and halves of surrogate pairs. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Levels of a value. Text can be as deep as `limits.instance.depth` allows. */
const DEPTH = 1000;
