// A WebAssembly module that is fetched.

/** The module at a URL. */
export async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`toolsure: ${answer.url} answered ${answer.status}`);
  // Servers do not always send the type that compileStreaming asks for.
  return WebAssembly.compile(await answer.arrayBuffer());
}
