/**
 * What packages that were made for Node want of a runtime: bytes of its own kind, and an environment to look through when
 * they are loaded, which a runtime may not allow, and which is none of their business.
 *
 * @module
 */

interface ProcessLike {
  env: Record<string, string | undefined>;
  getBuiltinModule(name: string): any;
}

const runtime = globalThis as unknown as { process: ProcessLike };

/** Loads modules for which the environment is empty until they are loaded. */
export async function withoutEnvironment<T>(load: () => Promise<T>): Promise<T> {
  const { env } = runtime.process;
  runtime.process.env = {};
  try {
    return await load();
  } finally {
    runtime.process.env = env;
  }
}

/** A copy of bytes as a Buffer. */
export const asBuffer = (bytes: Uint8Array): Uint8Array =>
  runtime.process.getBuiltinModule("node:buffer").Buffer.from(bytes);
