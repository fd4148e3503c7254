/** A file that the user keeps, written while it comes. */
type FileSink = {
  /** Rejects where the file became too large for the memory of a page. */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Keeps the file. */
  readonly close: () => Promise<void>;
  /** Drops what was written. */
  readonly abort: () => Promise<void>;
};

export type Files = {
  /** Asks for a place where the browser can; null where the user declines. */
  readonly create: (name: string, type: string) => Promise<FileSink | null>;
};

/** Bytes that are kept in memory where the browser gives no place on the disk. */
const memoryFileBytesMax = 256 * 1_024 * 1_024;

type Picker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

export const openFiles = (window: Window & typeof globalThis): Files => ({
  create: async (name, type) => {
    const { showSaveFilePicker: pick } = window as { readonly showSaveFilePicker?: Picker };
    if (pick === undefined) return memoryFile(window, name, type);
    try {
      const handle = await pick.call(window, { suggestedName: name });
      const stream = await handle.createWritable();
      return {
        write: (chunk) => stream.write(chunk as Uint8Array<ArrayBuffer>),
        close: () => stream.close(),
        abort: () => stream.abort(),
      };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return null;
      return memoryFile(window, name, type);
    }
  },
});

const memoryFile = (window: Window & typeof globalThis, name: string, type: string): FileSink => {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    write: async (chunk) => {
      bytes += chunk.length;
      if (bytes > memoryFileBytesMax) throw new Error('The file is too large for this browser');
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    },
    close: async () => {
      const address = window.URL.createObjectURL(new Blob(chunks, { type }));
      const link = window.document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      window.setTimeout(() => window.URL.revokeObjectURL(address), 60_000);
    },
    abort: async () => {
      chunks = [];
    },
  };
};
