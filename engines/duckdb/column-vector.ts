import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBListType,
  listValue,
  UINTEGER,
  UUID,
  VARCHAR,
  type DuckDBDataChunk,
  type DuckDBType,
} from '@duckdb/node-api';
import bindings, { type Vector } from '@duckdb/node-bindings';

// The library writes cells into a chunk one by one: ids as big integers, a validity bit by several
// of them. Here columns are built in the engine's layout and copied once (D-177).

/** Cell of a column. Ids are canonical texts; BIGINT takes a `bigint` or a whole number. */
export type CellValue = string | number | boolean | bigint | readonly string[];

/** One column of a chunk; unset rows are null. */
export type ColumnVector = {
  /** Sets a row, in any order, each at most once. */
  readonly put: (row: number, value: CellValue) => void;
  /** Completes the column of a chunk that has `rows` rows. At most one call. */
  readonly finish: (rows: number) => void;
};
type OpenColumn = (chunk: DuckDBDataChunk, column: number) => ColumnVector;

/** Rows per chunk of the engine. */
export const chunkRows = 2_048;
const bitsOfByte = 8;
/** Bytes of the widest cells: ids and list entries. */
const cellBytes = 16;

/** Free list of cell buffers: grows to the largest batch seen. */
const freeBuffers: ArrayBuffer[] = [];
const takeBuffer = (): ArrayBuffer => freeBuffers.pop() ?? new ArrayBuffer(chunkRows * cellBytes);

const openValidity = () => {
  const space = new ArrayBuffer(chunkRows / bitsOfByte);
  const bits = new Uint8Array(space);
  return {
    set: (row: number): void => {
      bits[row >>> 3] = (bits[row >>> 3] ?? 0) | (1 << (row & 7));
    },
    copyTo: (chunk: DuckDBDataChunk, column: number): void => copyValidity(chunk, column, space),
  };
};

const copyValidity = ({ chunk }: DuckDBDataChunk, column: number, bits: ArrayBuffer): void => {
  const vector = bindings.data_chunk_get_vector(chunk, column);
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, bits, 0, bits.byteLength);
};

const allNull = new ArrayBuffer(chunkRows / bitsOfByte);
const zeroCells = new ArrayBuffer(chunkRows * cellBytes);
/** Fills a column with nulls. A list column needs its entries even then. */
export const writeNulls = (chunk: DuckDBDataChunk, column: number, type: DuckDBType): void => {
  if (type instanceof DuckDBListType) {
    const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
    bindings.copy_data_to_vector(vector, 0, zeroCells, 0, zeroCells.byteLength);
  }
  copyValidity(chunk, column, allNull);
};

type Put = (row: number, value: CellValue) => void;

/** Column of fixed-width cells; `over` writes them into the buffer. */
const fixedWidthVector =
  (width: number, over: (space: ArrayBuffer) => Put): OpenColumn =>
  (chunk, column) => {
    const space = takeBuffer();
    const put = over(space);
    const validity = openValidity();
    return {
      put: (row, value) => {
        put(row, value);
        validity.set(row);
      },
      finish: (rows) => {
        const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
        bindings.copy_data_to_vector(vector, 0, space, 0, rows * width);
        validity.copyTo(chunk, column);
        freeBuffers.push(space);
      },
    };
  };

/** Longest text that a cell holds itself; after its length. */
const inlineBytes = 12;

/**
 * Text column, written into the engine's vector at once, so that texts are not kept until the chunk
 * is full. Cells are made here while all are short and ASCII: a call of the engine costs more.
 */
const textVector: OpenColumn = (chunk, column) => {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
  const validity = openValidity();
  let short: ReturnType<typeof openShortTexts> | null = openShortTexts();
  const copyShort = (rows: number): void => {
    short?.copyTo(vector, rows);
    short = null;
  };
  return {
    put: (row, value) => {
      const text = value as string;
      if (short?.put(row, text) !== true) {
        copyShort(chunkRows);
        bindings.vector_assign_string_element(vector, row, text);
      }
      validity.set(row);
    },
    finish: (rows) => {
      copyShort(rows);
      validity.copyTo(chunk, column);
    },
  };
};

const openShortTexts = () => {
  const space = takeBuffer();
  // Empty texts, so that absent ones point nowhere.
  const bytes = new Uint8Array(space).fill(0);
  const lengths = new Uint32Array(space);
  return {
    /** False: the text needs the engine. */
    put: (row: number, text: string): boolean => {
      if (text.length > inlineBytes) return false;
      const at = row * cellBytes + 4;
      for (let index = 0; index < inlineBytes; index += 1) {
        const code = index < text.length ? text.charCodeAt(index) : 0;
        if (code > 0x7f) return false;
        bytes[at + index] = code;
      }
      lengths[row * 4] = text.length;
      return true;
    },
    copyTo: (vector: Vector, rows: number): void => {
      bindings.copy_data_to_vector(vector, 0, space, 0, rows * cellBytes);
      freeBuffers.push(space);
    },
  };
};

/** List column, left to the library: few records have lists. */
const listVector: OpenColumn = (chunk, column) => {
  const values: (readonly string[])[] = [];
  return {
    put: (row, value) => {
      values[row] = value as readonly string[];
    },
    finish: (rows) => {
      const all = Array.from({ length: rows }, (_, row) => {
        const list = values[row];
        return list === undefined ? null : listValue([...list]);
      });
      chunk.setColumnValues(column, all);
    },
  };
};

const doubleVector = fixedWidthVector(8, (space) => {
  const cells = new Float64Array(space);
  return (row, value) => {
    cells[row] = value as number;
  };
});

const integerVector = fixedWidthVector(4, (space) => {
  const cells = new Uint32Array(space);
  return (row, value) => {
    cells[row] = value as number;
  };
});

const bigintVector = fixedWidthVector(8, (space) => {
  const cells = new BigInt64Array(space);
  const words = new Int32Array(space);
  return (row, value) => {
    if (typeof value === 'bigint') cells[row] = value;
    else {
      // A big integer of each number would be garbage at once.
      const high = Math.floor((value as number) / 0x1_0000_0000);
      words[row * 2] = (value as number) - high * 0x1_0000_0000;
      words[row * 2 + 1] = high;
    }
  };
});

const booleanVector = fixedWidthVector(1, (space) => {
  const cells = new Uint8Array(space);
  return (row, value) => {
    cells[row] = value === true ? 1 : 0;
  };
});

/**
 * UUID column: 128 bits, lowest word first, highest bit flipped, so that ids sort as their texts.
 */
const uuidVector = fixedWidthVector(cellBytes, (space) => {
  const words = new Uint32Array(space);
  let last = '';
  let lastAt = 0;
  return (row, value) => {
    const text = value as string;
    const at = row * 4;
    // Neighbours share the ids of their run, session and trace.
    if (text === last) words.copyWithin(at, lastAt, lastAt + 4);
    else {
      words[at] = wordAt(text, 28, 32);
      words[at + 1] = wordAt(text, 19, 24);
      words[at + 2] = wordAt(text, 9, 14);
      words[at + 3] = wordAt(text, 0, 4) ^ 0x8000_0000;
    }
    last = text;
    lastAt = at;
  };
});

/** 32-bit word of two groups of four hexadecimal digits. */
const wordAt = (text: string, high: number, low: number): number =>
  (fourAt(text, high) << 16) | fourAt(text, low);
const fourAt = (text: string, at: number): number =>
  (digitAt(text, at) << 12) |
  (digitAt(text, at + 1) << 8) |
  (digitAt(text, at + 2) << 4) |
  digitAt(text, at + 3);
/** Value of a digit `0` to `9` or `a` to `f`. */
const digitAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
};

const vectorsByType: ReadonlyMap<DuckDBType, OpenColumn> = new Map<DuckDBType, OpenColumn>([
  [DOUBLE, doubleVector],
  [UINTEGER, integerVector],
  [BIGINT, bigintVector],
  [BOOLEAN, booleanVector],
  [UUID, uuidVector],
  [VARCHAR, textVector],
]);

/** Opens a column of a type that schema.ts uses. */
export const openColumnVector = (
  type: DuckDBType,
  chunk: DuckDBDataChunk,
  column: number,
): ColumnVector => {
  const open = type instanceof DuckDBListType ? listVector : vectorsByType.get(type);
  if (open === undefined) throw new TypeError(`unsupported column type: ${type.toString()}`);
  return open(chunk, column);
};
