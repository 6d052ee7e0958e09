/** What makes Deno load Node's libraries fails in a process that preloads this. */
for (const name of ["process", "Buffer", "setTimeout", "setInterval", "setImmediate"]) {
  Object.defineProperty(globalThis, name, {
    get() {
      throw new Error(`${name} was asked for`);
    },
  });
}
