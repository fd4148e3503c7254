/** Recorded text, as it came. */
export const RecordedText = (props: { readonly text: string }) => (
  <div class="recorded-text" dir="auto">
    {props.text}
  </div>
);

/** A short recorded text within a line. */
export const RecordedWord = (props: { readonly text: string }) => <bdi>{props.text}</bdi>;
