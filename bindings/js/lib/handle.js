// A value in the memory of a module, behind a number.

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

  /** The number, of a value that is there. */
  ready() {
    const place = this.#place;
    if (place.wasm !== place.engine.wasm || this.#disposed) this.#again();
    return place.number;
  }

  /** Whether the value is there: it is not after `dispose`, or after a fault. */
  get isThere() {
    return this.#place.wasm === this.#place.engine.wasm && !this.#disposed;
  }

  /** Writes the JSON text of a value for a check of this one, and returns its length. */
  writeValue(value, limit) {
    const { engine } = this.#place;
    for (;;) {
      this.ready();
      const length = engine.writeValue(value, limit);
      // A getter of the value can have freed this value, or written what it checks.
      if (this.isThere) return length;
    }
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
  if (wasm === engine.wasm) engine.call(`free_${kind}`, number);
}

const registry = new FinalizationRegistry(free);
