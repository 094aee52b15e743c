// One instance of the WebAssembly module, and its input and output texts.

import { InternalError, NotJsonError, UndecidedError } from './errors.js';
import { MOST_LEVELS, NotJson, TooDeep, TooLong, abandon, isWellFormed, jsonText, putJson } from './json.js';

/** Answers of the checking functions; see src/lib.rs. */
export const VALID = 0;
export const INVALID = 1;
export const UNDECIDED = 2;
export const UNREADABLE = 3;

const encoder = new TextEncoder();
// Fatal: the module writes UTF-8, and anything else is a fault.
const decoder = new TextDecoder('utf-8', { fatal: true });

export class Engine {
  #module;
  #room = NO_ROOM;
  /** The functions of the module, and its `memory`. After a fault there are none, until the next call. */
  wasm;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#module = module;
    this.#start();
  }

  #start() {
    abandon();
    this.#room = NO_ROOM;
    this.wasm = new WebAssembly.Instance(this.#module, {}).exports;
  }

  /**
   * Calls a function. If it traps, which no input should cause, the instance is given up, because the state of its
   * memory is unknown, and the next call makes another. Handles of the old instance are invalid; `wasm` identifies it.
   */
  call(name, ...numbers) {
    if (this.wasm === undefined) this.#start();
    try {
      return this.wasm[name](...numbers);
    } catch (error) {
      // First, and without a call: the stack may be full.
      this.wasm = undefined;
      throw this.fault(error);
    }
  }

  /** The error to throw for one that came out of the module. */
  fault(cause) {
    // The stack was full before the call: an error of the caller.
    if (cause instanceof RangeError) return cause;
    return Object.assign(new InternalError({ code: 'internal', message: `the engine failed: ${cause}` }), { cause });
  }

  /** The input buffer, with at least this many bytes. Growing the memory detaches older views. */
  #reserve(bytes) {
    // Whoever writes next, or moves the buffer, disturbs a value whose getter led here.
    abandon();
    if (this.wasm === undefined) this.#start();
    if (this.#room.length < bytes) {
      const start = this.call('reserve', Math.max(bytes, 4096)) >>> 0;
      this.#room = new Uint8Array(this.wasm.memory.buffer, start, Math.max(bytes, 4096));
    }
    return this.#room;
  }

  /**
   * Writes texts (strings or bytes) one after the other, each with its limit, and returns their lengths
   * in bytes. The memory never shrinks, so a text over its limit must not make it grow.
   */
  write(...texts) {
    let most = 0;
    for (const [text, limit] of texts) most += mostBytes(text, limit);
    const room = this.#reserve(most);
    let at = 0;
    return texts.map(([text, limit]) => {
      const length = writeTo(room, text, at, limit);
      at += length;
      return length;
    });
  }

  /** Writes one text. */
  writeOne(text, limit) {
    return writeTo(this.#reserve(mostBytes(text, limit)), text, 0, limit);
  }

  /** The JSON text of a value: its length, if it is in the input buffer, or a string. Runs the value's getters. */
  encode(value, limit) {
    if (this.wasm === undefined) this.#start();
    const length = putJson(value, this.#room, limit.levels);
    if (length === -1) return textOf(value, limit);
    if (length > limit.bytes) throw limit.error();
    return length;
  }

  /** Writes what `encode` returned, if nothing was written since. */
  writeEncoded(encoded, limit) {
    // The buffer grows with need, so that the next value of this size is written at once.
    return typeof encoded === 'string' ? this.writeOne(encoded, limit) : encoded;
  }

  /** The output text of the last call. */
  output() {
    const start = this.call('output') >>> 0;
    return decoder.decode(new Uint8Array(this.wasm.memory.buffer, start, this.call('output_length')));
  }

  /** The output of the last call, as a value. */
  json() {
    return JSON.parse(this.output());
  }
}

const NO_ROOM = new Uint8Array(0);

/** The most bytes that a text can have within its limit. */
function mostBytes(text, limit) {
  // A character has at least one byte.
  if (text.length > limit.bytes) throw limit.error();
  return typeof text === 'string' ? Math.min(text.length * 3, limit.bytes) : text.length;
}

function writeTo(room, text, at, limit) {
  if (typeof text !== 'string') {
    room.set(text, at);
    return text.length;
  }
  const target = at === 0 && room.length <= limit.bytes ? room : room.subarray(at, at + limit.bytes);
  const { read, written } = encoder.encodeInto(text, target);
  // The buffer has room for the whole text, unless that is over the limit.
  if (read < text.length) throw limit.error();
  return written;
}

/** The limits on instances that a function of the module has written: `[bytes, depth]`. */
export function instanceLimit([bytes, levels]) {
  return { bytes, levels, error: () => new UndecidedError({ message: `undecided: ${longer(bytes)}`, setting: 'limits.instance.bytes' }) };
}

/** Says that a text is over a limit, as the engine does. */
export function longer(bytes) {
  return `the text is longer than the limit of ${bytes} bytes`;
}

/** Text for the engine: a well-formed string, or bytes. */
export function givenText(text, limit) {
  if (typeof text === 'string') {
    if (text.length > limit.bytes) throw limit.error();
    if (isWellFormed(text)) return text;
    throw new NotJsonError({ code: 'json', message: 'the text has half of a surrogate pair' });
  }
  // Also those of another realm.
  if (ArrayBuffer.isView(text)) return new Uint8Array(text.buffer, text.byteOffset, text.byteLength);
  if (Object.prototype.toString.call(text) === '[object ArrayBuffer]') return new Uint8Array(text);
  throw new TypeError('text must be a string or a Uint8Array');
}

/** The JSON text of a value. */
export function textOf(value, limit) {
  try {
    return jsonText(value, limit.bytes, limit.levels);
  } catch (error) {
    if (error instanceof TooLong) throw limit.error();
    if (error instanceof TooDeep) throw tooDeep(limit.levels);
    if (!(error instanceof NotJson)) throw error;
    const at = error.path === '' ? '' : ` (at ${error.path})`;
    throw new NotJsonError({ code: 'not-json', message: `${error.what} is not a JSON value${at}`, instancePath: error.path });
  }
}

/** The reason of an error without the verdict, which only an instance has. */
export function reason(error) {
  return error.message.replace(/^undecided: /, '');
}

/** No setting allows as many levels as a value may have at most. */
function tooDeep(levels) {
  const message = `undecided: the value has more than ${Math.min(levels, MOST_LEVELS)} levels`;
  return new UndecidedError({ message, setting: 'limits.instance.depth' });
}
