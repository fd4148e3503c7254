/** The page to go to after signing in, from the view `back=…`; the projects by default. */
export const backPlace = (view: string): { readonly path: string; readonly view: string } => {
  const back = new URLSearchParams(view).get('back') ?? '/';
  const [path = '/', ...rest] = back.split('#');
  const isOwn = path.startsWith('/') && !path.startsWith('//') && !path.startsWith('/sign-in');
  return isOwn ? { path, view: rest.join('#') } : { path: '/', view: '' };
};
