/** What is found in listings of tools, instances of schemas, and tools for model providers. */

import type { Decision } from './full.js';
import type { Options, SchemaInput } from './lean.js';

export { InternalError, NotJsonError, SchemaError, ToolsureError, UndecidedError } from './lean.js';

/** A listing: an array of tools, `{tools: […]}`, or an answer to `tools/list`; as a value, or as JSON text. */
export type Listing = object | string | Uint8Array;

export interface LintOptions extends Options {
  /** Profiles whose rules are turned on besides the default ones: names of docs/readers.md, such as `openai`. */
  profiles?: string[];
  /** Rules to turn off, by code or name. */
  allow?: string[];
  /** Rules to turn on as errors. */
  deny?: string[];
}

export interface LintFinding {
  /** The rule's code, such as `TL032`, and its name. */
  readonly code: string;
  readonly name: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** The index of the tool in the listing, from 0; absent if the finding is about the listing itself. */
  readonly tool?: number;
  /** The location, a JSON pointer into the tool. */
  readonly pointer: string;
  readonly message: string;
  readonly help?: string;
  /** The setting that raises the limit that a schema is over. */
  readonly setting?: string;
  /** The range in the tool's JSON text, in bytes. */
  readonly start?: number;
  readonly end?: number;
  /** Edits of the tool's JSON text that fix it. A safe fix changes no verdict. */
  readonly fix?: { readonly safe: boolean; readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] };
}

export interface LintReport {
  /** The findings, worst first. */
  readonly findings: LintFinding[];
  /** Findings over the limits, which are only counted. */
  readonly more: number;
  /** Estimated tokens of each tool, as a model sees it. */
  readonly tokens: number[];
}

/**
 * Finds legal but harmful parts of a listing.
 * @throws {NotJsonError} The listing is not JSON.
 * @throws {SchemaError} It is not a listing, or an option is invalid.
 */
export declare function lint(listing: Listing, options?: LintOptions): LintReport;

export interface CheckReport {
  readonly tools: {
    readonly name: string | null;
    /** `refused`: the tool cannot be used. */
    readonly verdict: 'ok' | 'warned' | 'refused';
    readonly findings: LintFinding[];
  }[];
  /** The findings on the listing itself. */
  readonly findings: LintFinding[];
  readonly more: number;
}

/** Says of each tool of a listing whether it can be used, and why not. Throws as `lint`. */
export declare function check(listing: Listing, options?: Options): CheckReport;

export interface DiffOptions extends Options {
  /** Whether calls have members that the schemas do not name. Default: they have none. */
  open?: boolean;
  /** Whether the new listing may lack tools: whether an absent one is removed is then `unknown`. */
  partial?: boolean;
}

export interface Change {
  readonly class: 'breaking' | 'unknown' | 'warning' | 'compatible';
  /** What happened, by a stable name such as `schema-narrowed`. */
  readonly kind: string;
  readonly category: 'tool' | 'schema' | 'consent' | 'words' | 'other';
  readonly side: 'tool' | 'input' | 'output';
  readonly aspect: 'contract' | 'words';
  /** The location in the values that the schema describes: `/filter/*\/name`. */
  readonly place: string;
  readonly message: string;
  /** A value that proves it. */
  readonly witness?: unknown;
  readonly before?: string;
  readonly after?: string;
  readonly setting?: string;
}

export interface DiffReport {
  /** The worst class; null if nothing changed. */
  readonly class: Change['class'] | null;
  /** How many tools did not change. */
  readonly same: number;
  readonly tools: { readonly name: string; readonly index: number; readonly class: Change['class']; readonly changes: Change[] }[];
}

/** Compares two listings, and says whether the new one breaks callers of the old one. Throws as `lint`. */
export declare function diff(before: Listing, after: Listing, options?: DiffOptions): DiffReport;

export interface ProjectOptions extends Options {
  /** The provider or client, such as `openai-strict`, `anthropic`, `gemini`: docs/projection.md has all. */
  for: string;
  /** The API whose form `definitions` has. Default: that of MCP. */
  form?: 'openai' | 'responses' | 'anthropic' | 'gemini';
  /** The server's name, for clients that put it before tool names. */
  server?: string;
  /** Levels of recursion that are written out, from 0 to 16. Default: 2. */
  recursion?: number;
  open?: boolean;
}

export interface ProjectedTool {
  readonly index: number;
  readonly name: string;
  /** The name that is published. */
  readonly published: string;
  /** How the calls that the projected schema accepts relate to those that the tool accepts. */
  readonly relation: 'equal' | 'wider' | 'narrower' | 'wider-and-narrower' | 'undecided';
  /** Arguments that only the projected schema accepts, and that only the tool accepts. */
  readonly wider?: unknown;
  readonly narrower?: unknown;
  /** What is not known, if the relation is undecided. */
  readonly why?: string;
  readonly steps: { readonly kind: string; readonly pointer: string; readonly detail: string; readonly what: string; readonly why: string }[];
  readonly moreSteps: number;
}

/** A tool that cannot be projected, and why. */
export interface RefusedTool {
  readonly index: number;
  readonly name: string | null;
  readonly refused: string;
}

/** The tools of a listing as a provider takes them, and the way back. */
export declare class Projection {
  private constructor();
  readonly for: string;
  readonly tools: (ProjectedTool | RefusedTool)[];
  /** The tools to send: in the form of MCP, or in the one that `form` names. */
  readonly definitions: unknown[];
  /**
   * Maps a call of the model back to one of the original tool, and checks it against the original schema.
   * @throws {NotJsonError} The arguments are not JSON.
   * @throws {UndecidedError} The arguments are over a limit.
   */
  call(name: string, args?: object | string | Uint8Array): { readonly name: string; readonly arguments: Record<string, unknown>; readonly decision: Decision };
  /** Frees the memory now. Otherwise the garbage collector frees it later. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Rewrites a listing so that a provider or client accepts it. Throws as `lint`. */
export declare function project(listing: Listing, options: ProjectOptions): Projection;

export interface ArgumentSchemaReport {
  /** The version, whether it was declared, and the JSON Schema; absent if there is an error among the diagnoses. */
  readonly version?: string;
  readonly declared?: boolean;
  readonly schema?: Record<string, unknown>;
  readonly diagnoses: { readonly severity: 'error' | 'warning' | 'note'; readonly code: string; readonly pointer: string; readonly message: string }[];
}

/** Converts an argument schema (docs/argument-schema.md) to the JSON Schema that accepts the same arguments. */
export declare function argumentSchema(schema: SchemaInput, options?: { version?: string }): ArgumentSchemaReport;

export interface GenerateOptions extends Options {
  /** Where the pseudo-random choices start: the same seed makes the same instances. Default: 1. */
  seed?: number;
  /** The most valid instances. Default: 2000. */
  valid?: number;
  /** The most invalid instances. Default: 2000. */
  invalid?: number;
  /** Whether all valid instances are objects, as the arguments of calls are. Default: false. */
  objects?: boolean;
}

/** A value that the schema accepts. */
export interface ValidInstance {
  readonly value: unknown;
  /** What it covers, in words. */
  readonly purpose: string;
}

/** A value that breaks one keyword of the schema. */
export interface InvalidInstance {
  readonly value: unknown;
  readonly keyword: string;
  /** The location of the keyword, a JSON pointer into the schema. */
  readonly keywordLocation: string;
  /** The location of what is wrong, a JSON pointer into the value. */
  readonly instanceLocation: string;
  /** The message of a validator. */
  readonly message: string;
}

/** A location in the schema without an instance. What was left out because of the limits `valid` and `invalid` is missing, too. */
export interface MissingInstance {
  readonly location: string;
  /** Whether a valid instance that covers it is missing; otherwise one that breaks it. */
  readonly valid: boolean;
  /** Whether it is proved that there is none. */
  readonly impossible: boolean;
}

export interface Instances {
  readonly valid: ValidInstance[];
  readonly invalid: InvalidInstance[];
  readonly missing: MissingInstance[];
  /** Whether the schema accepts any value; null if that is not known. */
  readonly satisfiable: boolean | null;
  /** Why it accepts none, if that is so. */
  readonly proof: string | null;
}

/**
 * Makes values that a schema accepts, which cover it, and values that break one keyword each. A validator with the same
 * options has checked all of them.
 * @throws {SchemaError} The schema does not compile, or an option is invalid.
 */
export declare function generate(schema: SchemaInput, options?: GenerateOptions): Instances;
