// Writes JavaScript values as JSON text, and refuses what JSON does not have.
//
// JSON.stringify would silently change the value: NaN becomes null, a Map becomes {}, a Date becomes a
// string. The verdict would then be about another value than the one that the program uses.

/** A value that has no JSON text. `path` is a JSON pointer to it. */
export class NotJson {
  constructor(what) {
    this.what = what;
    this.path = '';
  }
}

/** The JSON text of a value is longer than allowed. */
export class TooLong {}

/**
 * The JSON text of a value. Members whose value is `undefined` are left out, as on the wire. Throws
 * `TooLong` if it is found to be longer than `most` characters before it is complete.
 */
export function jsonText(value, most) {
  room = most;
  const plain = isPlain(value, DEPTH);
  if (room < 0) throw new TooLong();
  // The fast path is for values that JSON.stringify does not change; `write` says what is wrong, and where.
  return plain ? JSON.stringify(value) : write(value, '', most, DEPTH);
}

/** Characters that are still allowed. `isPlain` counts the fewest down that a value can have. */
let room = 0;

/** Whether a value has only JSON values, so `write` would not refuse it. Ends early if it is too long. */
function isPlain(value, levels) {
  switch (typeof value) {
    case 'string':
      room -= value.length;
      return true;
    case 'number':
      room--;
      return value - value === 0;
    case 'boolean':
      room -= 4;
      return true;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (levels === 0 || (room -= 2) < 0) return false;
  if (Array.isArray(value)) {
    if (value.toJSON !== undefined || (room -= value.length) < 0) return false;
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], levels - 1)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if (value.toJSON !== undefined) return false;
  for (const name in value) {
    const member = value[name];
    if (member !== undefined && ((room -= name.length) < 0 || !isPlain(member, levels - 1))) return false;
  }
  return true;
}

function write(value, before, most, levels) {
  switch (typeof value) {
    case 'string':
      // Before it is quoted: its text can have six times its length.
      if (before.length + value.length > most) throw new TooLong();
      return before + quoted(value);
    case 'number':
      // Infinity - Infinity and NaN - NaN are NaN.
      if (value - value === 0) return before + value;
      throw new NotJson(String(value));
    case 'boolean':
      return before + value;
    case 'object':
      if (value === null) return before + 'null';
      if (levels === 0) throw new NotJson(`a value with more than ${DEPTH} levels, or one that contains itself`);
      return Array.isArray(value) ? writeArray(value, before, most, levels - 1) : writeObject(value, before, most, levels - 1);
    case 'bigint':
      throw new NotJson('a BigInt');
    default:
      throw new NotJson(value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function writeArray(array, before, most, levels) {
  if (typeof array.toJSON === 'function') throw new NotJson('an array with toJSON');
  let text = before + '[';
  let index = 0;
  try {
    for (; index < array.length; index++) {
      if (index > 0) text += ',';
      text = write(array[index], text, most, levels);
      if (text.length > most) throw new TooLong();
    }
  } catch (error) {
    throw within(error, String(index));
  }
  return text + ']';
}

function writeObject(object, before, most, levels) {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && !isPlainPrototype(prototype)) throw new NotJson(`an object of class ${className(object)}`);
  if (typeof object.toJSON === 'function') throw new NotJson('an object with toJSON');
  let text = before + '{';
  let comma = '';
  let name;
  try {
    for (name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      if (text.length + name.length > most) throw new TooLong();
      text = write(member, text + comma + quoted(name) + ':', most, levels);
      if (text.length > most) throw new TooLong();
      comma = ',';
    }
  } catch (error) {
    throw within(error, name);
  }
  return text + '}';
}

/** Whether objects with this prototype are plain: no prototype, or `Object.prototype` of another realm. */
function isPlainPrototype(prototype) {
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

/** Characters that a JSON string must escape, and halves of surrogate pairs. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Maximum depth of a value. Text can be as deep as `limits.instance.depth` allows. */
const DEPTH = 1000;
