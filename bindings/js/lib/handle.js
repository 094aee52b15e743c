// A value in the memory of a module, behind a number.

import { textOf } from './engine.js';
import { InternalError } from './errors.js';

/**
 * The handle of a value that an object has in an engine. The engine frees the value when `dispose` is called, or when
 * the garbage collector finds the object. After a fault, which replaces the engine's memory, the value is made again.
 */
export class Handle {
  #make;
  #disposed = false;
  /** Where the value is. The registry keeps this, so it must not lead to the owner. */
  #place;

  /** `make` makes the value and returns its number. */
  constructor(engine, kind, owner, make) {
    this.#make = make;
    this.#place = { engine, kind, wasm: undefined, number: 0 };
    this.ready();
    registry.register(owner, this.#place, this);
  }

  /** Makes the value again if it is not there, and returns its number. */
  ready() {
    const place = this.#place;
    if (place.wasm !== place.engine.wasm || place.wasm === undefined || this.#disposed) this.#again();
    return place.number;
  }

  /** The number, after the input of a call was written, which making the value again would overwrite. */
  get number() {
    const { wasm, engine, number } = this.#place;
    if (wasm === engine.wasm && wasm !== undefined && !this.#disposed) return number;
    throw new InternalError({ code: 'internal', message: 'the engine failed' });
  }

  /** Writes the JSON text of a value for a check of this one, and returns its length. */
  writeValue(value, limit) {
    const { engine } = this.#place;
    this.ready();
    const { wasm } = engine;
    const encoded = engine.encode(value, limit);
    // A getter of the value can have freed this one, or met a fault.
    this.ready();
    return engine.writeEncoded(engine.wasm === wasm ? encoded : textOf(value, limit), limit);
  }

  #again() {
    if (this.#disposed) throw new TypeError(`the ${this.#place.kind} was disposed of`);
    this.#place.number = this.#make();
    // After `make`: a fault in it replaces the memory.
    this.#place.wasm = this.#place.engine.wasm;
  }

  dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    registry.unregister(this);
    free(this.#place);
  }
}

function free({ engine, kind, wasm, number }) {
  if (wasm !== undefined && wasm === engine.wasm) engine.call(`free_${kind}`, number);
}

const registry = new FinalizationRegistry(free);
