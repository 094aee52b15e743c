/// <reference lib="esnext.disposable" />

/** Checks values and JSON text against JSON Schema with hard limits; without formats of internationalized names. */

/** A schema: a value, or JSON text. */
export type SchemaInput = object | boolean | string | Uint8Array;

/** Settings. Names, values and defaults are those of docs/schema-settings.md. */
export interface Options {
  /** What `format` does. Default: `annotate`. */
  formats?: 'annotate' | 'assert' | 'assert-with-numbers';
  /** What `contentEncoding` and `contentMediaType` do. Default: `annotate`. */
  content?: 'annotate' | 'assert';
  /** What happens to a keyword whose value its dialect forbids. Default: `strict`. */
  strictness?: 'strict' | 'lenient';
  /** The dialect of every schema, whatever its `$schema` declares. */
  dialect?: 'declared' | Dialect;
  /** The dialect of schemas that declare none. Default: `2020-12`. */
  default_dialect?: Dialect;
  /** Documents that references may resolve to, by URI. Nothing is ever fetched. */
  documents?: Record<string, SchemaInput>;
  /** Limits; bytes also as text such as `"4MiB"`. */
  limits?: {
    fuel?: number;
    evaluation_depth?: number;
    instance?: { bytes?: number | string; depth?: number; nodes?: number; digits?: number; duplicate_keys?: 'refuse' | 'keep-last' };
    [name: string]: unknown;
  };
}

export type Dialect = 'draft4' | 'draft6' | 'draft7' | '2019-09' | '2020-12';

/** The verdict on an instance. There are three, and the third does not mean invalid. */
export type Result = Valid | Invalid | Undecided;

export interface Valid {
  readonly verdict: 'valid';
}

export interface Invalid {
  readonly verdict: 'invalid';
  /** The violations, in the order in which they were found; at most 100. */
  readonly errors: ValidationError[];
  /** Whether `errors` has all violations. */
  readonly complete: boolean;
  /** The most relevant errors, in a few lines, for people and language models. */
  readonly message: string;
}

export interface Undecided {
  readonly verdict: 'undecided';
  /** The limit that was reached. */
  readonly message: string;
  /** The setting that raises the limit. */
  readonly setting?: string;
}

/** A violation: one keyword that one value of the instance does not match. */
export interface ValidationError {
  /** The location of the value, a JSON pointer into the instance. */
  readonly instancePath: string;
  /** The member's name, if the keyword applies to a name in the object at `instancePath`. */
  readonly propertyName?: string;
  /** The evaluation path of the keyword, references included. */
  readonly schemaPath: string;
  /** The keyword's location in the schema, with all references resolved. */
  readonly absoluteSchemaPath: string;
  readonly keyword: string;
  /** What was expected, what was found, and where, in one line. */
  readonly message: string;
  readonly kind: ErrorKind;
  /** The range of the value in the instance's JSON text, in bytes of UTF-8. */
  readonly start?: number;
  readonly end?: number;
}

/** A value that was found in the instance; `text` is its JSON text, cut if it is long. */
export interface Found {
  readonly type: 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
  readonly text: string;
}

/** A property whose constant value selects the branch of a union. */
export interface Tag {
  readonly property: string;
  readonly expected: string[];
  readonly more: number;
  readonly closest?: string;
  readonly found: Found;
}

/** The kind of the violation, by `name`. Numbers of a schema are text, as they are written there. */
export type ErrorKind =
  | { readonly name: 'type'; readonly expected: string[]; readonly found: Found }
  | { readonly name: 'const'; readonly expected: string; readonly found: Found }
  | { readonly name: 'enum'; readonly expected: string[]; readonly more: number; readonly closest?: string; readonly found: Found }
  | { readonly name: 'minimum' | 'maximum'; readonly limit: string; readonly exclusive: boolean; readonly found: Found }
  | { readonly name: 'multipleOf'; readonly divisor: string; readonly found: Found }
  | { readonly name: 'minLength'; readonly least: number; readonly count: number; readonly found: Found }
  | { readonly name: 'maxLength'; readonly most: number; readonly count: number; readonly found: Found }
  | { readonly name: 'pattern'; readonly pattern: string; readonly found: Found }
  | { readonly name: 'format'; readonly format: string; readonly found: Found }
  | { readonly name: 'content'; readonly expected: string; readonly found: Found }
  | { readonly name: 'minItems' | 'minContains' | 'minProperties'; readonly least: number; readonly count: number }
  | { readonly name: 'maxItems' | 'maxProperties'; readonly most: number; readonly count: number }
  | { readonly name: 'uniqueItems'; readonly first: number; readonly second: number }
  | { readonly name: 'contains' | 'forbiddenName' | 'other' }
  | { readonly name: 'maxContains'; readonly most: number }
  | { readonly name: 'required'; readonly missing: string[]; readonly more: number }
  | { readonly name: 'dependentRequired'; readonly present: string; readonly missing: string[]; readonly more: number }
  | { readonly name: 'unexpectedProperty'; readonly property: string; readonly closest?: string }
  | { readonly name: 'forbiddenProperty'; readonly property: string }
  | { readonly name: 'unexpectedItem'; readonly index: number }
  | { readonly name: 'anyOf' | 'oneOf'; readonly count: number; readonly plausible: number[]; readonly tag?: Tag }
  | { readonly name: 'oneOfMany'; readonly matched: [number, number] }
  | { readonly name: 'not' | 'never'; readonly found: Found };

/** Something that was ignored in a schema. */
export interface SchemaWarning {
  readonly code: string;
  readonly message: string;
  readonly schemaPath: string;
  readonly document: string;
  readonly offset?: number;
  readonly help?: string;
}

/** A compiled schema. `T` is the type of the values that match it: `new Validator<Order>(schema)`. */
export declare class Validator<T = unknown> {
  /** @throws {SchemaError} The schema does not compile, or an option is invalid. */
  constructor(schema: SchemaInput, options?: Options);

  /**
   * Checks a JavaScript value, which must be a JSON value; members that are `undefined` count as absent.
   * @throws {NotJsonError} The value is not a JSON value.
   */
  check(value: unknown): Result;

  /**
   * Checks JSON text, without `JSON.parse`.
   * @throws {NotJsonError} The text is not JSON.
   */
  checkText(text: string | Uint8Array | ArrayBuffer): Result;

  /**
   * Whether a value matches the schema; with a type `T`, a guard.
   * @throws {UndecidedError} A limit was reached before the verdict.
   * @throws {NotJsonError} As `check`.
   */
  readonly isValid: unknown extends T ? (value: unknown) => boolean : (value: unknown) => value is T;

  /**
   * Whether JSON text matches the schema.
   * @throws {UndecidedError} A limit was reached before the verdict.
   * @throws {NotJsonError} As `checkText`.
   */
  isValidText(text: string | Uint8Array | ArrayBuffer): boolean;

  /** The interface of Standard Schema, with JSON Schema. What is undecided, or is not JSON, has an issue. */
  get '~standard'(): StandardProps<T>;

  /** What was ignored in the schema: with `strictness: 'lenient'`, and references that cannot be reached. */
  get warnings(): SchemaWarning[];

  /** Frees the memory now. Otherwise the garbage collector frees it later. */
  dispose(): void;
  [Symbol.dispose](): void;

  /** Bytes of WebAssembly memory that all validators share. It grows as needed and never shrinks. */
  static memoryBytes(): number;
}

/** Version 1 of Standard Schema, and of Standard JSON Schema. */
export interface StandardProps<T> {
  readonly version: 1;
  readonly vendor: 'toolsure';
  readonly validate: (value: unknown) => StandardResult<T>;
  readonly jsonSchema: { readonly input: (options: object) => Record<string, unknown>; readonly output: (options: object) => Record<string, unknown> };
  readonly types?: { readonly input: T; readonly output: T };
}

export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly PropertyKey[] }[] };

/** The result of a validator of `getValidator`, as the SDKs declare it. */
export type SdkResult<T> =
  | { valid: true; data: T; errorMessage: undefined }
  | { valid: false; data: undefined; errorMessage: string };

/** Options of the provider for the SDKs. */
export interface ProviderOptions extends Options {
  /**
   * What `getValidator` does with a schema that does not compile. `throw` (the default): it throws, as the SDK's own
   * provider does. Version 2 of the SDK then refuses calls of that tool before they are sent. `refuse`: it returns a
   * validator that accepts nothing. With version 1 of the SDK, where an error costs all tools of the server, say `refuse`.
   */
  uncompilable?: 'refuse' | 'throw';
}

/**
 * The `jsonSchemaValidator` of the official TypeScript SDK, versions 1 and 2. Undecided counts as not valid. Schemas
 * are compiled with `strictness: 'lenient'` unless the options say otherwise.
 */
export declare class ToolsureJsonSchemaValidator {
  constructor(options?: ProviderOptions);
  getValidator<T>(schema: object | boolean): (input: unknown) => SdkResult<T>;
}

/** Base class of the errors that this package throws. */
export declare class ToolsureError extends Error {
  /** A stable code. */
  readonly code: string;
}

/** A schema that does not compile, or an invalid option (`code` is `option`). */
export declare class SchemaError extends ToolsureError {
  /** The location, a JSON pointer into the document. */
  readonly schemaPath?: string;
  /** The URI of the document; empty for the schema itself. */
  readonly document?: string;
  /** The offset in the document's text, in bytes. */
  readonly offset?: number;
  readonly help?: string;
  /** The URI of the document that a denied reference points to. */
  readonly deniedUri?: string;
  /** The setting that raises the limit. */
  readonly setting?: string;
}

/** An instance that has no verdict because it is not JSON: a text (`code` is `json`), or a value (`not-json`). */
export declare class NotJsonError extends ToolsureError {
  /** The offset in the text, in bytes. */
  readonly offset?: number;
  /** The location, a JSON pointer into the value. */
  readonly instancePath?: string;
}

/** A limit was reached before the verdict: neither valid nor invalid. */
export declare class UndecidedError extends ToolsureError {
  /** The setting that raises the limit. */
  readonly setting?: string;
}

/** A bug in this package. There is no verdict. */
export declare class InternalError extends ToolsureError {}
