/** With its first part made already: what is refused is refused before the answer begins. */
export const primeGenerator = async <T>(file: AsyncGenerator<T>): Promise<AsyncGenerator<T>> => {
  const first = await file.next();
  return afterFirst(first, file);
};

async function* afterFirst<T>(
  first: IteratorResult<T, unknown>,
  others: AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
