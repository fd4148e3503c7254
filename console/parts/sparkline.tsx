/** Bars of equal width, the highest filling the height; `label` and the sum are read aloud. */
export const Sparkline = (props: {
  readonly values: readonly number[];
  readonly label: string;
}) => {
  const { values } = props;
  const greatest = Math.max(...values, 1);
  const sum = values.reduce((total, value) => total + value, 0);
  const width = 96 / Math.max(values.length, 1);
  return (
    <svg
      class="sparkline"
      viewBox="0 0 96 20"
      role="img"
      aria-label={`${props.label}: ${sum} in all`}
    >
      {values.map((value, index) => {
        const height = (value / greatest) * 19;
        return (
          <rect
            key={index}
            x={index * width}
            y={20 - height}
            width={Math.max(width - 1, 0.5)}
            height={height}
            fill="var(--series-1)"
          />
        );
      })}
    </svg>
  );
};
