// Writes JavaScript values as JSON text, and refuses what JSON does not have.
//
// JSON.stringify would silently change the value: NaN becomes null, a Map becomes {}, a Date becomes a
// string. The verdict would then be about another value than the one that the program uses.
//
// `putJson` writes bytes, and gives up at whatever is unusual; `jsonText` then writes a string, or says
// what is wrong, and where.

/** A value that has no JSON text. `path` is a JSON pointer to it. */
export class NotJson {
  constructor(what) {
    this.what = what;
    this.path = '';
  }
}

/** The JSON text of a value is longer than allowed. */
export class TooLong {}

/** A value has more levels than allowed. */
export class TooDeep {}

/** Maximum number of levels of a definition, which has no limit of its own here: a level takes a frame of the stack. */
export const MOST_LEVELS = 2000;

const encoder = new TextEncoder();

/** What `putJson` writes to. A getter may call it again, or `abandon`, so no function here keeps these across one. */
const NOWHERE = new Uint8Array(0);
let room = NOWHERE;
let calls = 0;

/** Ends a writing that is under way: its buffer is used for something else, or is gone. */
export function abandon() {
  calls++;
  room = NOWHERE;
}

/**
 * Writes the JSON text of a value into a buffer, and returns its length; or -1 if the value is unusual, has
 * more levels than allowed, or may not fit, and then the buffer may have anything.
 */
export function putJson(value, buffer, levels) {
  // An enumerable member of Object.prototype would be among the names of every object.
  for (const _ in PROBE) return -1;
  const call = ++calls;
  room = buffer;
  const end = put(value, 0, Math.min(levels, MOST_LEVELS));
  return call === calls ? end : -1;
}

const PROBE = {};

function put(value, at, levels) {
  switch (typeof value) {
    case 'string':
      return putString(value, at);
    case 'number':
      return putNumber(value, at);
    case 'boolean':
      return putAscii(value ? 'true' : 'false', at);
    case 'object':
      break;
    default:
      return -1;
  }
  if (value === null) return putAscii('null', at);
  if (levels === 0 || at + 2 > room.length || value.toJSON !== undefined) return -1;
  if (Array.isArray(value)) {
    room[at++] = 0x5b;
    for (let index = 0; index < value.length; index++) {
      if (index > 0) room[at++] = 0x2c;
      at = put(value[index], at, levels - 1);
      // One byte for a comma or the bracket at the end.
      if (at === -1 || at >= room.length) return -1;
    }
    room[at++] = 0x5d;
    return at;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return -1;
  room[at++] = 0x7b;
  let first = true;
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    if (!first) room[at++] = 0x2c;
    first = false;
    at = putString(name, at);
    if (at === -1 || at >= room.length) return -1;
    room[at++] = 0x3a;
    at = put(member, at, levels - 1);
    if (at === -1 || at >= room.length) return -1;
  }
  room[at++] = 0x7d;
  return at;
}

function putString(text, at) {
  const { length } = text;
  const buffer = room;
  // The most bytes that it can have, unless a character is escaped: then each check counts again.
  if (at + length * 3 + 2 > buffer.length) return -1;
  buffer[at] = 0x22;
  if (length > SHORT) return putLong(text, at);
  let end = at + 1;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    // Comparisons take three quarters of the time of a table, for all of a small object.
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return putLong(text, at);
    buffer[end++] = unit;
  }
  buffer[end] = 0x22;
  return end + 1;
}

function putLong(text, at) {
  if (!isWellFormed(text)) return -1;
  if (!ESCAPED.test(text)) {
    const { written } = encoder.encodeInto(text, room.subarray(at + 1));
    room[at + 1 + written] = 0x22;
    return at + 2 + written;
  }
  const quoted = JSON.stringify(text);
  if (at + quoted.length * 3 > room.length) return -1;
  return at + encoder.encodeInto(quoted, room.subarray(at)).written;
}

function putNumber(value, at) {
  if (value >= 0 && value < 10 && Number.isInteger(value)) {
    if (at >= room.length) return -1;
    room[at] = 0x30 + value;
    return at + 1;
  }
  return value - value === 0 ? putAscii(numberText(value), at) : -1;
}

function putAscii(text, at) {
  const end = at + text.length;
  if (end > room.length) return -1;
  for (let index = 0; at < end; index++) room[at++] = text.charCodeAt(index);
  return end;
}

/** Strings of at most so many units are quicker written one by one. */
const SHORT = 32;
const ESCAPED = /["\\\u0000-\u001f]/;

/** The digits of a finite number. An integer has no exponent: draft 4 takes a number with one for another type. */
function numberText(value) {
  return Math.abs(value) >= 1e21 ? String(BigInt(value)) : String(value);
}

/**
 * The JSON text of a value. Members whose value is `undefined` are left out, as on the wire. Throws
 * `TooLong` if it is found to be longer than `most` characters before it is complete, `TooDeep` if it has
 * more than `levels` levels, and `NotJson`.
 */
export function jsonText(value, most, levels) {
  return write(value, '', { most, above: [], levels: Math.min(levels, MOST_LEVELS) });
}

function write(value, before, state) {
  switch (typeof value) {
    case 'string':
      // Before it is quoted: its text can have six times its length.
      if (before.length + value.length > state.most) throw new TooLong();
      if (!isWellFormed(value)) throw new NotJson(HALF);
      return before + quoted(value);
    case 'number':
      // Infinity - Infinity and NaN - NaN are NaN.
      if (value - value === 0) return before + numberText(value);
      throw new NotJson(String(value));
    case 'boolean':
      return before + value;
    case 'object':
      if (value === null) return before + 'null';
      if (state.above.includes(value)) throw new NotJson('a value that contains itself');
      if (state.above.length >= state.levels) throw new TooDeep();
      state.above.push(value);
      before = Array.isArray(value) ? writeArray(value, before, state) : writeObject(value, before, state);
      state.above.pop();
      return before;
    case 'bigint':
      throw new NotJson('a BigInt');
    default:
      throw new NotJson(value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function writeArray(array, before, state) {
  if (typeof array.toJSON === 'function') throw new NotJson('an array with toJSON');
  let text = before + '[';
  let index = 0;
  try {
    for (; index < array.length; index++) {
      if (index > 0) text += ',';
      text = write(array[index], text, state);
      if (text.length > state.most) throw new TooLong();
    }
  } catch (error) {
    throw within(error, String(index));
  }
  return text + ']';
}

function writeObject(object, before, state) {
  if (!isPlain(object)) throw new NotJson(`an object of class ${className(object)}`);
  if (typeof object.toJSON === 'function') throw new NotJson('an object with toJSON');
  let text = before + '{';
  let comma = '';
  let name;
  try {
    for (name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      if (text.length + name.length > state.most) throw new TooLong();
      if (!isWellFormed(name)) throw new NotJson(HALF);
      text = write(member, text + comma + quoted(name) + ':', state);
      if (text.length > state.most) throw new TooLong();
      comma = ',';
    }
  } catch (error) {
    throw within(error, name);
  }
  return text + '}';
}

/** Whether an object is plain: it has no prototype, or `Object.prototype`, also that of another realm. */
export function isPlain(object) {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function className(object) {
  const name = object.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'its own';
}

function quoted(text) {
  return ESCAPED.test(text) ? JSON.stringify(text) : '"' + text + '"';
}

const HALF = 'a string with half of a surrogate pair';

function within(error, name) {
  if (error instanceof NotJson) error.path = '/' + name.replaceAll('~', '~0').replaceAll('/', '~1') + error.path;
  return error;
}

/** Whether a string has no half of a surrogate pair. */
export const isWellFormed =
  'isWellFormed' in String.prototype ? (text) => text.isWellFormed() : (text) => !/\p{Surrogate}/u.test(text);
