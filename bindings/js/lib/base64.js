// Bytes that are written in a source file.

/** The bytes of a base64 text. */
export function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
