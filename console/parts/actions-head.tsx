/** Head of the column of a table that has the buttons of each row. */
export const ActionsHead = () => (
  <th scope="col">
    <span class="visually-hidden">Actions</span>
  </th>
);
