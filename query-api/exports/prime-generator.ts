/** Produces the first part before the response begins, so that errors can still be reported. */
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
