import type { Shape, RootShape } from './shape.js';

type Raw = Readonly<Record<string, unknown>>;

/**
 * Moves every branch of a tagged union into a named definition. ajv generates a function per name
 * and otherwise puts all branches into one function, whose stack frame is so large that a few dozen
 * nested spans overflow the stack. Equal branches share a name, so each is generated once.
 */
export const extractTaggedBranches = ({ shape, definitions }: RootShape): RootShape => {
  const named: Record<string, Shape> = {};
  const names = new Map<string, string>();
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const below = Object.fromEntries(
      Object.entries(node as Raw).map(([keyword, value]) => [keyword, walk(value)]),
    );
    const branches = below['oneOf'];
    if (below['discriminator'] === undefined || !Array.isArray(branches)) return below;
    return { ...below, oneOf: branches.map((branch: Shape) => lift(branch)) };
  };
  const lift = (branch: Shape): Shape => {
    const text = JSON.stringify(branch);
    const name = names.get(text) ?? `branch${names.size}`;
    names.set(text, name);
    named[name] = branch;
    return { $ref: `#/$defs/${name}` };
  };
  const top = walk(shape) as Shape;
  const known = walk(definitions) as Readonly<Record<string, Shape>>;
  return { shape: top, definitions: { ...known, ...named } };
};
